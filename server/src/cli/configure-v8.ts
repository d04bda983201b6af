import { setFlagsFromString } from 'node:v8'

/**
 * Configures V8 for the whole process. Call before loading anything else.
 * The Postgres parser is WebAssembly. After a few dozen policies V8 would recompile its largest functions, which takes a second of processor time and 600 MB,
 * and parsing afterwards never saves that much. Both flags are needed: on Node's command line each implies the other, but not here.
 */
export function configureV8(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
}
