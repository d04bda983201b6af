import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of edge functions. */
export const functionsOptions = {
  functionsEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether edge functions are served, at `/functions/v1`. Costs nothing without functions.',
  },
  functionsDir: {
    type: 'string',
    default: 'supabase/functions',
    description: 'Folder of the functions: each subfolder with an `index.ts` is one. May not exist.',
  },
  functionsConfig: {
    type: 'string',
    default: 'supabase/config.toml',
    description:
      'The project’s `config.toml`. Its settings are read like those of `configFile`, which has precedence. May not exist.',
  },
  functionsEnvFile: {
    type: 'string',
    description: 'File with secrets for the functions’ environment. Default: `.env` in `functionsDir`.',
  },
  functionsVerifyJwt: {
    type: 'boolean',
    default: true,
    description: 'If off, functions need no token, whatever `verify_jwt` says. For development only.',
  },
  functionsImportMap: {
    type: 'string',
    description: 'Import map for all functions, replacing their own.',
  },
  functionsInspect: {
    type: 'string',
    description: 'Function to debug: its process starts with the V8 inspector and without time limits.',
  },
  functionsInspectMode: {
    type: 'string',
    default: 'run',
    description: 'What a debugged function does before a debugger connects: `run`, `brk` or `wait`.',
  },
  functionsInspectPort: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 65_535,
    description: 'Inspector port on the loopback interface; 0 means `inspector_port` of `[edge_runtime]`, or 8083.',
  },
  functionsDeno: {
    type: 'string',
    description: 'Path of Deno (2.9 or later). Default: Deno from the npm package `@deno/<platform>`.',
  },
  functionsMemoryMb: {
    type: 'integer',
    default: 256,
    min: 64,
    max: 65_536,
    description: 'Memory limit in MiB of a function’s process; above it, the process is killed.',
  },
  functionsCpuMs: {
    type: 'integer',
    default: 2_000,
    min: 50,
    max: 3_600_000,
    description: 'Milliseconds of CPU time after which the process of a function with a blocked event loop is killed.',
  },
  functionsWallClockS: {
    type: 'integer',
    default: 400,
    min: 2,
    max: 86_400,
    description: 'Lifetime of a function’s process in seconds; after half of it, new requests go to a new process.',
  },
  functionsIdleTimeoutS: {
    type: 'integer',
    default: 150,
    min: 1,
    max: 86_400,
    description: 'Seconds until the response of a function must start (504).',
  },
  functionsKeptS: {
    type: 'integer',
    default: 60,
    min: 1,
    max: 86_400,
    description: 'Idle seconds after which a function’s process is stopped.',
  },
  functionsWorkersMax: {
    type: 'integer',
    default: 20,
    min: 1,
    max: 1_000,
    description: 'Maximum number of functions with a process; the least recently used one is stopped.',
  },
  functionsDbConnectionsMax: {
    type: 'integer',
    default: 20,
    min: 1,
    max: 10_000,
    description: 'Maximum number of connections that all functions together may open with `SUPABASE_DB_URL`.',
  },
} satisfies OptionDeclarations

export type FunctionsOptions = OptionValues<typeof functionsOptions>
