import type { JSX } from 'react'
import { create } from 'zustand'
import { pasteMessages as words } from '../../messages/paste.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'

/** What happens to pasted rows below the last record. */
export type MoreAnswer = 'add' | 'leave' | 'cancel'

interface MoreQuestion {
  readonly rows: number
  readonly one: string
  readonly many: string
}

const useQuestion = create<{
  readonly question: MoreQuestion | undefined
  readonly answer: (answer: MoreAnswer) => void
}>(() => ({ question: undefined, answer: () => undefined }))

/** Asks whether pasted rows become new records. Cancels an open question. */
export function askForMore(question: MoreQuestion): Promise<MoreAnswer> {
  useQuestion.getState().answer('cancel')
  const { promise, resolve } = Promise.withResolvers<MoreAnswer>()
  const answer = (given: MoreAnswer): void => {
    useQuestion.setState({ question: undefined, answer: () => undefined })
    resolve(given)
  }
  useQuestion.setState({ question, answer })
  return promise
}

/** Renders {@link askForMore}; once per screen. */
export function MoreDialog(): JSX.Element | null {
  const { question, answer } = useQuestion()
  if (!question) return null
  const { rows, one, many } = question
  return (
    <Dialog
      title={words.pasteMore(rows)}
      isOpen
      role="alertdialog"
      onClose={() => answer('cancel')}
      actions={
        <>
          <Button onPress={() => answer('leave')}>{words.pasteLeave}</Button>
          <Button tone="primary" autoFocus onPress={() => answer('add')}>
            {words.pasteAdd(rows, one, many)}
          </Button>
        </>
      }
    >
      <p>{words.pasteMoreDetail(many)}</p>
    </Dialog>
  )
}
