import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { type FunctionDefinition, FUNCTION_NAME, type Project, type ProjectFiles } from './discover.ts'

/** A function of the project, for operators. Times in ms since the epoch. */
export interface DescribedFunction {
  readonly name: string
  /** Entry module, relative to the functions folder. */
  readonly entry: string
  /** When the entry module was last written; `undefined` if it does not exist. */
  readonly changedAtMs: number | undefined
  readonly verifyJwt: boolean
  readonly isOneshot: boolean
}

/** The project's functions as the server last read them. */
export interface FunctionsState {
  readonly functions: readonly DescribedFunction[]
  /** Functions that are not served because of a link out of the functions folder. */
  readonly denied: readonly { readonly name: string; readonly reason: string }[]
  /** Names of the secrets; values never leave the service. */
  readonly secrets: readonly string[]
  /** Why the project's files could not be read. */
  readonly problem: string | undefined
  readonly loadedAtMs: number | undefined
}

/** Describes a project for operators, without values of secrets. */
export function describeProject(
  project: Project | undefined,
  { problem, loadedAtMs }: Pick<FunctionsState, 'problem' | 'loadedAtMs'>,
  { directory }: Pick<ProjectFiles, 'directory'>,
): FunctionsState {
  return {
    functions: [...(project?.functions.values() ?? [])]
      .map((definition) => describeFunction(definition, directory))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
    denied: (project?.deniedLinks ?? []).flatMap(({ path, reason }) => {
      const [name = ''] = relative(directory, path).split(sep)
      return FUNCTION_NAME.test(name) ? [{ name, reason: `The link ${relative(directory, path)} ${reason}.` }] : []
    }),
    secrets: Object.keys(project?.secrets ?? {}).toSorted(),
    problem,
    loadedAtMs,
  }
}

function describeFunction(
  { name, entry, verifyJwt, isOneshot }: FunctionDefinition,
  directory: string,
): DescribedFunction {
  const changedAtMs = statSync(entry, { throwIfNoEntry: false })?.mtimeMs
  return { name, entry: relative(directory, entry), changedAtMs, verifyJwt, isOneshot }
}
