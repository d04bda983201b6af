import { setFlagsFromString } from 'node:v8'

/**
 * Configures V8 for the whole process. Call it before loading anything else.
 *
 * The Postgres parser is WebAssembly. V8 would compile its largest functions a second time after a few dozen policies, which takes a second of a processor and
 * 600 MB; code parsed afterwards never wins that back. Both flags: each implies the other on Node's command line, and not here.
 */
export function configureV8(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
}
