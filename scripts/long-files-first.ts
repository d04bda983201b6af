import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readReport } from './read-report.ts'

export const DURATIONS_PATH = 'scripts/test-durations.json'

/** Properties that determine a file's order. */
export interface FileTurn {
  /** Relative to the repository. */
  readonly path: string
  readonly project: string
  readonly group: number
  /** Whether it runs in a separate worker. */
  readonly isIsolated: boolean
}

/**
 * Returns an order of test files that starts the longest first within each project, so that no core idles at the end. Projects with a worker per file precede
 * the others of their group, because they have few, long files.
 *
 * @param durations - seconds by path. Unlisted files are short and keep their order.
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

/** Starts long files first. Vitest knows durations only of files it has run here; otherwise the recorded durations apply, then file sizes. */
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
