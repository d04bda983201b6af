import type { JSX } from 'react'
import { create } from 'zustand'
import { rightMessages as words } from '../../messages/rights.ts'
import { ConfirmDialog } from '../dialog.tsx'

/** A command that will partly be refused. */
interface PartQuestion {
  /** Such as `fill of 12 cells`. */
  readonly label: string
  readonly going: number
  readonly refused: number
  readonly reason: string
  /** Record nouns for sentences. */
  readonly one: string
  readonly many: string
}

const useQuestion = create<{
  readonly question: PartQuestion | undefined
  readonly answer: (isWanted: boolean) => void
}>(() => ({ question: undefined, answer: () => undefined }))

/** Asks whether to execute only the permitted part of a command. Declines an open question. */
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
  const { label, going, refused, reason, one, many } = question
  return (
    <ConfirmDialog
      title={words.partTitle(refused, going + refused, one, many)}
      isOpen
      onClose={() => answer(false)}
      confirmLabel={words.partGo(going, one, many)}
      onConfirm={() => answer(true)}
    >
      <p>{reason}</p>
      <p className="pt-2 text-muted">{words.partDetail(label)}</p>
    </ConfirmDialog>
  )
}
