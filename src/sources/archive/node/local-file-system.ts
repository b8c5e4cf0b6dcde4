import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ArchiveLimits } from '../archive-memory.js';
import type { ArchiveFile, ArchiveFiles } from '../files/archive-files.js';
import type { ByteFile, FileSystem } from '../files/byte-file.js';
import { Inflater } from './decompress.js';
import { findArchiveFiles, settledChange, throwErrno } from './directories.js';
import { LocalFile } from './local-file.js';
import { OpenFiles, type FileOpener } from './open-files.js';

/** The files of this machine, read by a limited number of descriptors; compressed ones by way of inflated copies. */
export class LocalFileSystem implements FileSystem {
  readonly opened: OpenFiles;
  readonly inflater: Inflater;

  /** @param tempDirectory of inflated copies, by default the system's. @param opener opens files, by default any */
  constructor(limits: ArchiveLimits, tempDirectory?: string, opener?: FileOpener) {
    this.opened = new OpenFiles(limits.openFiles, opener);
    this.inflater = new Inflater(limits, this.opened, tempDirectory);
  }

  open({ path: file, compression }: ArchiveFile, mostBytes?: number, signal?: AbortSignal): Promise<ByteFile> {
    if (compression === undefined) return LocalFile.open(file, this.opened);
    return this.inflater.open(file, compression, mostBytes, signal);
  }

  find(base: string): Promise<ArchiveFiles> {
    return findArchiveFiles(base);
  }

  changed(base: string): Promise<number | undefined> {
    return settledChange(path.dirname(base));
  }

  /** Throws a PmError with a negated errno. */
  stat(file: string): Promise<Stats> {
    return this.opened.inTurn(() => stat(file)).catch(throwErrno(file));
  }
}
