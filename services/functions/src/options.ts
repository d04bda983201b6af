import { flag, integer, type OptionDeclarations, type OptionValues, text } from '@holdfast/foundation'

/** Settings of edge functions. */
export const functionsOptions = {
  functionsEnabled: flag('Whether edge functions are served, at `/functions/v1`. Costs nothing without functions.', {
    default: true,
  }),
  functionsDir: text('Folder of the functions: each subfolder with an `index.ts` is one. May not exist.', {
    default: 'supabase/functions',
  }),
  functionsConfig: text(
    'The project’s `config.toml`. Its settings are read like those of `configFile`, which has precedence. May not exist.',
    { default: 'supabase/config.toml' },
  ),
  functionsEnvFile: text('File with secrets for the functions’ environment. Default: `.env` in `functionsDir`.'),
  functionsVerifyJwt: flag('If off, functions need no token, whatever `verify_jwt` says. For development only.', {
    default: true,
  }),
  functionsImportMap: text('Import map for all functions, replacing their own.'),
  functionsInspect: text('Function to debug: its process starts with the V8 inspector and without time limits.'),
  functionsInspectMode: text('What a debugged function does before a debugger connects: `run`, `brk` or `wait`.', {
    default: 'run',
  }),
  functionsInspectPort: integer(
    'Inspector port on the loopback interface; 0 means `inspector_port` of `[edge_runtime]`, or 8083.',
    { default: 0, min: 0, max: 65_535 },
  ),
  functionsDeno: text('Path of Deno (2.9 or later). Default: Deno from the npm package `@deno/<platform>`.'),
  functionsMemoryMb: integer('Memory limit in MiB of a function’s process; above it, the process is killed.', {
    default: 256,
    min: 64,
    max: 65_536,
  }),
  functionsCpuMs: integer(
    'Milliseconds of CPU time after which the process of a function with a blocked event loop is killed.',
    { default: 2_000, min: 50, max: 3_600_000 },
  ),
  functionsWallClockS: integer(
    'Lifetime of a function’s process in seconds; after half of it, new requests go to a new process.',
    { default: 400, min: 2, max: 86_400 },
  ),
  functionsIdleTimeoutS: integer('Seconds until the response of a function must start (504).', {
    default: 150,
    min: 1,
    max: 86_400,
  }),
  functionsKeptS: integer('Idle seconds after which a function’s process is stopped.', {
    default: 60,
    min: 1,
    max: 86_400,
  }),
  functionsWorkersMax: integer('Maximum number of functions with a process; the least recently used one is stopped.', {
    default: 20,
    min: 1,
    max: 1_000,
  }),
  functionsDbConnectionsMax: integer(
    'Maximum number of connections that all functions together may open with `SUPABASE_DB_URL`.',
    { default: 20, min: 1, max: 10_000 },
  ),
} satisfies OptionDeclarations

export type FunctionsOptions = OptionValues<typeof functionsOptions>
