/* global WebAssembly */
/**
 * make-trouble.js KIND DIRECTORY [NUMBER]: makes one kind of trouble until it is ended. Started by run.ts through a link to Node whose name is
 * that of the trouble, so that the kernel calls the process so. Memory is freed and files are removed by its end, and by run.ts.
 */
import { once } from 'node:events';
import { closeSync, constants, fsyncSync, mkdirSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const MIB = 2 ** 20;
const TICK_MS = 100;
const TICKS_PER_SEC = 1000 / TICK_MS;
const OPENED_PER_TICK = 20;
const FILES = 2000;
const SMALL_BYTES = 2048;
const PING_PONG = 1;
const WRITERS = 4;

const [kind = '', directory = '.', number = '0'] = process.argv.slice(2);

const TROUBLES = {
  /** One that computes. */
  hog() {
    for (;;);
  },
  /** NUMBER bytes a second are allocated, used and never freed. */
  async leak() {
    const kept = [];
    for (;;) {
      kept.push(Buffer.alloc(Math.ceil(Number(number) / TICKS_PER_SEC), 1));
      await pause(TICK_MS);
    }
  },
  /** Small writes, each of which waits for the disk: several at once, as of a database. */
  async fsync() {
    const bytes = Buffer.alloc(4096, 1);
    const write = async (_, writer) => {
      const file = await open(path.join(directory, `written-${writer}`), 'w');
      for (let i = 0; ; i++) {
        await file.write(bytes, 0, bytes.length, (i % 1024) * bytes.length);
        await file.sync();
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  },
  /** Reads a file past the cache: it is given in DIRECTORY. The memory of WebAssembly lies at whole pages, as such reads want it. */
  reader() {
    const name = path.join(directory, 'large');
    const file = openSync(name, constants.O_RDONLY | constants.O_DIRECT);
    const bytes = new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer);
    const blocks = Math.floor(statSync(name).size / bytes.length);
    for (;;) readSync(file, bytes, 0, bytes.length, Math.floor(Math.random() * blocks) * bytes.length);
  },
  /** Creates and removes many small files, which are written out. */
  files() {
    const folder = path.join(directory, 'small');
    const bytes = Buffer.alloc(SMALL_BYTES, 1);
    for (;;) {
      mkdirSync(folder, { recursive: true });
      for (let i = 0; i < FILES; i++) {
        const file = openSync(path.join(folder, `file-${i}`), 'w');
        writeSync(file, bytes);
        fsyncSync(file);
        closeSync(file);
      }
      rmSync(folder, { recursive: true });
    }
  },
  /** Two threads that wake each other. */
  switches() {
    const turn = new Int32Array(isMainThread ? new SharedArrayBuffer(4) : workerData);
    const [mine, theirs] = isMainThread ? [0, PING_PONG] : [PING_PONG, 0];
    if (isMainThread) new Worker(import.meta.filename, { argv: process.argv.slice(2), workerData: turn.buffer });
    for (;;) {
      Atomics.wait(turn, 0, theirs);
      Atomics.store(turn, 0, theirs);
      Atomics.notify(turn, 0);
      if (mine === theirs) return;
    }
  },
  /** Datagrams to a receiver that does not read: it is stopped by what it does itself. */
  async flood() {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    const sender = createSocket('udp4');
    const bytes = Buffer.alloc(1024, 1);
    for (;;) {
      await Promise.all(
        Array.from({ length: 512 }, () => new Promise((done) => sender.send(bytes, port, '127.0.0.1', done))),
      );
    }
  },
  /** Connections that nobody closes. */
  async connections() {
    const server = net.createServer(() => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const kept = [];
    for (;;) {
      for (let i = 0; i < OPENED_PER_TICK; i++) kept.push(net.connect(server.address().port, '127.0.0.1'));
      await pause(TICK_MS);
    }
  },
  /** Files that nobody closes. */
  async descriptors() {
    for (;;) {
      for (let i = 0; i < OPENED_PER_TICK; i++) openSync('/dev/null', 'r');
      await pause(TICK_MS);
    }
  },
  /** Takes NUMBER bytes at once, and ends if it may. */
  allocate() {
    for (const kept = []; kept.length < Number(number) / MIB;) kept.push(Buffer.alloc(MIB, 1));
  },
};

await TROUBLES[kind]();
