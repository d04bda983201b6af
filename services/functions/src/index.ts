/** Edge functions: code of the project, each in a Deno process of its own. */
export { openFunctionsDatabase, type FunctionsDatabase } from './database-role.ts'
export { openFunctions, type FunctionsService, type OpenFunctionsOptions } from './functions.ts'
export type { FunctionMetrics } from './observe/metrics.ts'
export type { KeptLine, LogPage } from './observe/log-store.ts'
export { functionsOptions, type FunctionsOptions } from './options.ts'
export { findDeno } from './process/program.ts'
export { discoverProject, FUNCTION_NAME } from './project/discover.ts'
export { projectFilesOf } from './project-files.ts'
