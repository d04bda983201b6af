import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readReport } from './read-report.ts'

export const DURATIONS_PATH = 'scripts/test-durations.json'

/** What decides about a file's turn. */
export interface FileTurn {
  /** From the root of the repository. */
  readonly path: string
  readonly project: string
  readonly group: number
  /** Whether it has a worker of its own. */
  readonly isIsolated: boolean
}

/**
 * Returns an order of test files in which those that take longest begin first within their project, so that no core waits for a last one. Projects whose files have
 * a worker each come before the others of their group: they are few and long.
 *
 * @param durations - seconds by path; files that are not listed are short, and keep their order
 */
export function longFirst(durations: Readonly<Record<string, number>>): (one: FileTurn, other: FileTurn) => number {
  return (one, other) =>
    one.group - other.group ||
    Number(other.isIsolated) - Number(one.isIsolated) ||
    compareNames(one.project, other.project) ||
    (durations[other.path] ?? 0) - (durations[one.path] ?? 0)
}

function compareNames(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** Vitest alone knows how long files take once it has run them here; in a new clone it goes by their sizes. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isKnown = files.every((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)
    const compare = longFirst(isKnown ? {} : (readReport<Record<string, number>>(DURATIONS_PATH) ?? {}))
    return (await super.sort(files)).toSorted((one, other) => compare(turnOf(one), turnOf(other)))
  }
}

function turnOf({ moduleId, project: { name, config } }: TestSpecification): FileTurn {
  const { sequence, isolate } = config
  return { path: relative(process.cwd(), moduleId), project: name, group: sequence.groupOrder, isIsolated: isolate }
}
