import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { pageLocale } from '../../lib/language.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'

/** A row of `holdfast.deleted_fields`. */
export interface DeletedField {
  readonly field_name: string
  readonly label: string
  readonly restorable_until: string
}

/** The fields that can be restored, as the server lists them. */
export function DeletedFields({
  args,
  refusals,
  isPending,
  onRestore,
}: {
  readonly args: object
  readonly refusals: Readonly<Record<string, string>>
  readonly isPending: boolean
  readonly onRestore: (field: DeletedField) => void
}): JSX.Element | null {
  const isOnline = useOnline()
  const { run, failure } = useCall(refusals)
  const [fields, setFields] = useState<readonly DeletedField[]>()
  const ask = useEffectEvent(async () => {
    const asked = await run<readonly DeletedField[]>('deleted_fields', args)
    if (asked) setFields(asked.result)
  })
  // The list is on the server only.
  useEffect(() => {
    if (!isOnline) return
    const timer = setTimeout(() => void ask())
    return () => clearTimeout(timer)
  }, [isOnline])
  if (failure) return <CallFailureText failure={failure} />
  if (!isOnline) return <p>{words.offline}</p>
  if (fields?.length === 0) return <p>{words.noneDeleted}</p>
  return (
    <ul className="flex flex-col gap-2">
      {fields?.map((field) => (
        <li key={field.field_name} className="flex items-center gap-2">
          <span className="min-w-0 flex-1">
            {field.label}{' '}
            <span className="text-small text-muted">
              {words.until(new Date(field.restorable_until).toLocaleDateString(pageLocale()))}
            </span>
          </span>
          <Button
            size="sm"
            isDisabled={isPending}
            aria-label={words.restoreOf(field.label)}
            onPress={() => onRestore(field)}
          >
            {words.undo}
          </Button>
        </li>
      ))}
    </ul>
  )
}
