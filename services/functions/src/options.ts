import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of edge functions. */
export const functionsOptions = {
  functionsEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether edge functions are served, below `/functions/v1`. Without functions this costs nothing.',
  },
  functionsDir: {
    type: 'string',
    default: 'supabase/functions',
    description: 'The folder of the functions: each folder in it with an `index.ts` is one. It need not exist.',
  },
  functionsConfig: {
    type: 'string',
    default: 'supabase/config.toml',
    description:
      'The `config.toml` of the project, whose settings are read as those of `configFile`, which wins over it. It need not exist.',
  },
  functionsEnvFile: {
    type: 'string',
    description: 'A file with the secrets that functions find in their environment. Default: `.env` in `functionsDir`.',
  },
  functionsVerifyJwt: {
    type: 'boolean',
    default: true,
    description:
      'Off: no function asks for a token, whatever `verify_jwt` says. For trying functions, not for serving.',
  },
  functionsImportMap: {
    type: 'string',
    description: 'An import map for all functions, instead of those that they have.',
  },
  functionsInspect: {
    type: 'string',
    description: 'The function whose process is started with the inspector of V8, and without limits of time.',
  },
  functionsInspectMode: {
    type: 'string',
    default: 'run',
    description: 'What an inspected function does before a debugger is there: `run`, `brk` or `wait`.',
  },
  functionsInspectPort: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 65_535,
    description: 'The port of the inspector, on the loopback; 0 is `inspector_port` of `[edge_runtime]`, or 8083.',
  },
  functionsDeno: {
    type: 'string',
    description:
      'The Deno program that runs functions (2.9 or later). Default: the one of the npm package `@deno/<platform>`.',
  },
  functionsMemoryMb: {
    type: 'integer',
    default: 256,
    min: 64,
    max: 65_536,
    description: 'MiB of memory that the process of one function may have; above it the process is ended.',
  },
  functionsCpuMs: {
    type: 'integer',
    default: 2_000,
    min: 50,
    max: 3_600_000,
    description:
      'Milliseconds that a function may compute without letting its event loop go on; then its process is ended.',
  },
  functionsWallClockS: {
    type: 'integer',
    default: 400,
    min: 2,
    max: 86_400,
    description: 'Seconds that the process of a function may exist; after half of them new requests go to another one.',
  },
  functionsIdleTimeoutS: {
    type: 'integer',
    default: 150,
    min: 1,
    max: 86_400,
    description: 'Seconds that a function may take until its answer begins (504).',
  },
  functionsKeptS: {
    type: 'integer',
    default: 60,
    min: 1,
    max: 86_400,
    description: 'Seconds without a request after which the process of a function is ended.',
  },
  functionsWorkersMax: {
    type: 'integer',
    default: 20,
    min: 1,
    max: 1_000,
    description: 'How many functions may have a process at the same time; the one used longest ago gives way.',
  },
  functionsDbConnectionsMax: {
    type: 'integer',
    default: 20,
    min: 1,
    max: 10_000,
    description: 'How many connections all functions together may open with `SUPABASE_DB_URL`.',
  },
} satisfies OptionDeclarations

export type FunctionsOptions = OptionValues<typeof functionsOptions>
