/** The server as one function, for tests and embedding. The command line is `cli/main.ts`. */
export { openHoldfast, type Holdfast, type OpenHoldfastOptions } from './compose.ts'
export { loadConfig } from './config/load-config.ts'
export { options, type Config } from './config/options.ts'
