import { GatewayError } from '../../pmapi/index.js';
import { Refusal, UNREACHABLE, type Gateway } from './gateway.js';
import { failureOf, resultOf, type ToolResult } from './report.js';
import { changes, find } from './tools/find.js';
import { check, why } from './tools/why.js';
import { diagnose } from './tools/diagnose.js';
import { hosts } from './tools/hosts.js';
import { query } from './tools/query.js';
import type { Arguments, Tool } from './tools/tool.js';

/** The tools, in the order in which an assistant needs them. */
const TOOLS: readonly Tool[] = [hosts, diagnose, changes, find, query, why, check];

/** The tools as the protocol lists them. */
export function toolDefinitions() {
  return TOOLS.map(({ name, description, properties, required = [] }) => ({
    name,
    description,
    inputSchema: {
      type: 'object' as const,
      properties: { ...properties },
      required: [...required],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  }));
}

/** Call a tool. What the gateway refuses is a result that says so; undefined for an unknown tool. */
export async function callTool(name: string, given: unknown, gateway: Gateway): Promise<ToolResult | undefined> {
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) return undefined;
  try {
    return resultOf(await tool.run(readArguments(tool, given ?? {}), gateway));
  } catch (error) {
    if (error instanceof Refusal || error instanceof GatewayError)
      return failureOf(error.code, error.message, hintOf(error.code));
    throw error;
  }
}

/** Arguments of the right kind. Throws BAD_PARAMETER for one that is unknown, missing or of another. */
function readArguments({ properties, required = [] }: Tool, given: object): Arguments {
  for (const name of required) if (!(name in given)) throw bad(`the argument '${name}' is missing`);
  for (const [name, value] of Object.entries(given)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!schema)
      throw bad(`there is no argument '${name.slice(0, 40)}': expected ${Object.keys(properties).join(', ')}`);
    if (!isOfType(schema.type, value)) throw bad(`the argument '${name}' is not of the type ${schema.type}`);
  }
  return given as Arguments;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 50;
  if (type === 'array') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  return typeof value === 'string';
}

function bad(message: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', message);
}

/** What to call instead. */
function hintOf(code: string): string {
  if (code === 'NOT_FOUND') return '. What changed: pcp_changes {}';
  return code === UNREACHABLE ? '. Hosts with data: pcp_hosts {}' : '';
}
