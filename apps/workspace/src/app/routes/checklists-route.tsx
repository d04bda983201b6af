import type { JSX } from 'react'
import { ChecklistsScreen } from '../../features/checklist-builder/checklists-screen.tsx'
import { AnswerInput } from '../../features/record/checklist/answer-input.tsx'

/** Renders the checklists of the table in the URL, with the inputs that users see. */
export function ChecklistsRoute(): JSX.Element {
  return (
    <ChecklistsScreen
      renderAnswer={(answer) => (
        <AnswerInput {...answer} last={undefined} isReadOnly={false} onEnter={() => undefined} />
      )}
    />
  )
}
