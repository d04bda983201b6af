import { explainVerdict, type RejectedChange } from '@holdfast/client'
import { rightMessages } from '../../messages/rights.ts'
import { verdictMessages as words } from '../../messages/verdicts.ts'
import { humanize } from '../format.ts'

type Verdict = RejectedChange['verdict']

/** A localized verdict. */
export interface VerdictWords {
  /** Stable; see the error reference. */
  readonly code: string
  /** What happened, in one sentence without period. */
  readonly title: string
  /** What to do. */
  readonly advice: string
}

/**
 * Explains a rejected change and what to do, without rule names, which are in the details.
 *
 * @param labelOf - display label of a column
 */
export function verdictWords(verdict: Verdict, labelOf: (column: string) => string = humanize): VerdictWords {
  const { code } = explainVerdict(verdict)
  if (verdict.status === 'unexpected') return { code, title: words.notTaken, advice: words.tryLater }
  const label = verdict.status === 'error' && verdict.column !== undefined ? labelOf(verdict.column) : undefined
  return { code, title: titleOf(code, verdict, label), advice: adviceOf(code, verdict, labelOf) }
}

function titleOf(code: string, verdict: Verdict, label: string | undefined): string {
  const rule = verdict.status === 'error' ? verdict.rule : undefined
  const said = rule === undefined ? undefined : rightMessages.said(rule).replace(/\.$/, '')
  switch (code) {
    case 'HF-SYNC-UNIQUE':
      return words.taken(verdict.status === 'error' ? keyOf(verdict.detail) : undefined)
    case 'HF-SYNC-LINKED':
      return words.stillLinked(verdict.status === 'error' ? referrerOf(verdict.detail) : undefined)
    case 'HF-SYNC-NOTNULL':
      return words.needsValue(label)
    case 'HF-SYNC-TYPE':
      return words.notValid(label)
    case 'HF-SYNC-RULE':
      return rightMessages.said(verdict.message)
    case 'HF-SYNC-CHECK':
      return said ?? words.breaksRule(constraintOf(verdict)?.replaceAll('_', ' ') ?? verdict.message)
    default:
      return said ?? titled(code)
  }
}

function adviceOf(code: string, verdict: Verdict, labelOf: (column: string) => string): string {
  if (verdict.status === 'error') {
    if (code === 'HF-SYNC-CHECK') {
      const labels = (verdict.columns ?? []).map((column) => labelOf(column))
      return labels.length === 0 ? words.changeValue : words.changeFields(labels)
    }
    if (code === 'HF-SYNC-RULE') {
      // A hint is readable advice, or a code such as `action.transition`, which is not shown.
      const { hint } = verdict
      if (hint !== undefined && /\s/.test(hint.trim()) && !saysTheSame(hint, verdict.message)) return hint
      return verdict.column === undefined ? words.changeRecord : words.changeFields([labelOf(verdict.column)])
    }
  }
  const advice: Readonly<Record<string, string>> = words.advice
  return advice[code] ?? words.advice['HF-SYNC-UNKNOWN']
}

function titled(code: string): string {
  const titles: Readonly<Record<string, string>> = words.titles
  return titles[code] ?? words.titles['HF-SYNC-UNKNOWN']
}

function constraintOf(verdict: Verdict): string | undefined {
  return verdict.status === 'error' ? verdict.constraint : undefined
}

/** Whether two sentences differ only at their ends. */
export function saysTheSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => text.trim().replace(/[.!…]+$/, ''))
  return first === second
}

/** Converts `Key (code)=(A1) already exists.` to `code = A1`. */
function keyOf(detail: string | undefined): string | undefined {
  const key = /^Key \((.+?)\)=\((.*)\) already exists/.exec(detail ?? '')
  return key ? `${key[1]} = ${key[2]}` : undefined
}

/** Returns the display name of the table in `Key (id)=(1) is still referenced from table "actions".` */
function referrerOf(detail: string | undefined): string | undefined {
  const table = /is (?:still )?referenced from table "(.+)"/.exec(detail ?? '')?.[1]
  return table === undefined ? undefined : humanize(table)
}
