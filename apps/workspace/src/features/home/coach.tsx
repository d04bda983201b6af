import { Check, Circle, X } from 'lucide-react'
import { useLocalDatabase } from '@holdfast/react'
import { type JSX, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { LinkButton } from '../../components/link.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { COACH_STEPS, type CoachStep, hideCoach } from '../../lib/coach.ts'
import { cx } from '../../lib/cx.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { coachMessages as words } from '../../messages/coach.ts'
import { useCoach } from './use-coach.ts'

const PhoneDialog = lateContent(async () => (await import('./phone-dialog.tsx')).PhoneDialog)

/** Four first steps for the owner of a new workspace. Each completes itself; the list goes when it is hidden. */
export function Coach({ workspace }: { readonly workspace: string }): JSX.Element | null {
  const coach = useCoach()
  const tables = useTables()
  const [isPhoneShown, setPhoneShown] = useState(false)
  const isComplete = coach?.done.length === COACH_STEPS.length
  const { userId } = useLocalDatabase()
  // A complete list is seen once.
  useEffect(() => (isComplete ? () => hideCoach(userId) : undefined), [isComplete, userId])
  // Without a table, the first table is the next step.
  if (!coach || tables.length === 0) return null
  const { done } = coach
  const next = COACH_STEPS.find((step) => !done.includes(step))
  return (
    <section aria-labelledby="coach" className="rounded-lg border border-border bg-surface px-4 py-3">
      <div className="flex items-center gap-3">
        <h2 id="coach" className="text-heading">
          {isComplete ? words.allDone : words.title}
        </h2>
        <p className="flex-1 text-small text-muted" role="status">
          {words.progress(done.length, COACH_STEPS.length)}
        </p>
        <IconButton label={words.hide} size="sm" icon={<X size={16} aria-hidden />} onPress={coach.hide} />
      </div>
      {isComplete ? (
        <p className="pt-1 text-body text-muted">{words.allDoneDetail}</p>
      ) : (
        <ol className="grid grid-cols-1 gap-x-6 gap-y-3 pt-3 tablet:grid-cols-2">
          {COACH_STEPS.map((step) => (
            <Step
              key={step}
              step={step}
              isDone={done.includes(step)}
              isNext={step === next}
              {...{ workspace }}
              onPhone={() => setPhoneShown(true)}
            />
          ))}
        </ol>
      )}
      {isPhoneShown ? <PhoneDialog.Content onClose={() => setPhoneShown(false)} /> : null}
    </section>
  )
}

function Step({
  step,
  isDone,
  isNext,
  workspace,
  onPhone,
}: {
  readonly step: CoachStep
  readonly isDone: boolean
  readonly isNext: boolean
  readonly workspace: string
  readonly onPhone: () => void
}): JSX.Element {
  const { title, detail, action } = words.steps[step]
  return (
    <li className="flex gap-3">
      <span className={cx('flex pt-0.5', isDone ? 'text-success' : 'text-subtle')}>
        {isDone ? <Check size={18} aria-hidden /> : <Circle size={18} aria-hidden />}
      </span>
      <div className="flex min-w-0 flex-col items-start gap-1.5">
        <p className={cx('font-medium', isDone && 'text-muted')}>
          {title}
          {isDone ? <VisuallyHidden> ({words.isDone})</VisuallyHidden> : null}
        </p>
        {isDone ? null : <p className="text-small text-muted">{detail}</p>}
        {isDone || action === '' ? null : (
          <Action {...{ step, workspace, onPhone, action }} tone={isNext ? 'primary' : 'secondary'} />
        )}
      </div>
    </li>
  )
}

function Action({
  step,
  tone,
  action,
  workspace: ws,
  onPhone,
}: {
  readonly step: CoachStep
  readonly tone: 'primary' | 'secondary'
  readonly action: string
  readonly workspace: string
  readonly onPhone: () => void
}): JSX.Element | null {
  const tables = useTables()
  const table = tables.find(({ descriptor, isSupporting }) => descriptor.can.insert && !isSupporting)
  if (step === 'record') {
    return table ? (
      <LinkButton size="sm" tone={tone} to="/w/$ws/t/$table" params={{ ws, table: table.name }}>
        {action}
      </LinkButton>
    ) : null
  }
  if (step === 'invite') {
    return (
      <LinkButton size="sm" tone={tone} to="/w/$ws/people" params={{ ws }}>
        {action}
      </LinkButton>
    )
  }
  return (
    <Button size="sm" tone={tone} onPress={onPhone}>
      {action}
    </Button>
  )
}
