import type { JSX } from 'react'
import { create } from 'zustand'
import { rightMessages as words } from '../../messages/rights.ts'
import { commonMessages } from '../../messages/common.ts'
import { Button } from '../button.tsx'
import { ConfirmDialog, Dialog } from '../dialog.tsx'

/** Reasons listed; the others are counted. */
const REASONS_MAX = 6

/** Why records or cells stay as they are. */
export interface RefusalReason {
  readonly words: string
  readonly count: number
  readonly of: 'records' | 'cells'
}

/** A command that will partly be refused. */
export interface PartQuestion {
  /** Such as `fill of 12 cells`. */
  readonly label: string
  /** Number of records that will be changed. */
  readonly going: number
  /** Number of records that policies refuse to change. */
  readonly refused: number
  /** Number of cells that cannot take their value. */
  readonly cells: number
  /** Never empty. */
  readonly reasons: readonly RefusalReason[]
  readonly isDeletion: boolean
  /** Record nouns for sentences. */
  readonly one: string
  readonly many: string
}

const useQuestion = create<{
  readonly question: PartQuestion | undefined
  readonly answer: (isWanted: boolean) => void
}>(() => ({ question: undefined, answer: () => undefined }))

/** Shows what a command will leave out and why, and asks whether to execute the rest. Declines an open question. */
export function askForPart(question: PartQuestion): Promise<boolean> {
  useQuestion.getState().answer(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const answer = (isWanted: boolean): void => {
    useQuestion.setState({ question: undefined, answer: () => undefined })
    resolve(isWanted)
  }
  useQuestion.setState({ question, answer })
  return promise
}

/** Renders {@link askForPart}; once per screen. */
export function PartDialog(): JSX.Element | null {
  const { question, answer } = useQuestion()
  if (!question) return null
  const { label, going, refused, cells, isDeletion, one, many } = question
  if (going === 0) {
    return (
      <Dialog
        title={words.noneTitle(isDeletion)}
        isOpen
        role="alertdialog"
        onClose={() => answer(false)}
        actions={
          <Button tone="primary" autoFocus onPress={() => answer(false)}>
            {commonMessages.close}
          </Button>
        }
      >
        <Reasons {...question} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={refused > 0 ? words.partTitle(refused, going + refused, one, many, isDeletion) : words.cellsTitle(cells)}
      isOpen
      onClose={() => answer(false)}
      confirmLabel={words.partGo(going, one, many, isDeletion)}
      onConfirm={() => answer(true)}
    >
      <Reasons {...question} />
      <p className="pt-3 text-muted">{words.partDetail(label)}</p>
    </ConfirmDialog>
  )
}

function Reasons({ reasons, one, many }: PartQuestion): JSX.Element {
  const others = reasons.slice(REASONS_MAX)
  return (
    <ul className="flex flex-col gap-2">
      {reasons.slice(0, REASONS_MAX).map((reason) => (
        <li key={`${reason.of} ${reason.words}`}>
          <span className="font-medium tabular-nums">
            {reason.of === 'records' ? words.records(reason.count, one, many) : words.cells(reason.count)}:
          </span>{' '}
          {reason.words}
        </li>
      ))}
      {others.length > 0 ? <li className="text-muted">{words.moreReasons(others.length)}</li> : null}
    </ul>
  )
}
