/** The server as one function, for tests and embedding. The command line is `cli/main.ts`. */
export type { Holdfast, OpenHoldfastOptions } from './holdfast.ts'
export { loadConfig } from './config/load-config.ts'
export { options, type Config } from './config/options.ts'
export { openHoldfast } from './open-holdfast.ts'
