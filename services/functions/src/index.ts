/** Edge functions: code of the project, each in a Deno process of its own. */
export { openFunctions, type FunctionsService, type OpenFunctionsOptions } from './functions.ts'
export { functionsOptions, type FunctionsOptions } from './options.ts'
export { discoverProject, FUNCTION_NAME } from './project/discover.ts'
export { projectFilesOf } from './project-files.ts'
