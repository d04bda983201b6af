import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { VIEW_TYPES, type ViewScope, type ViewType } from '../../../lib/views/use-views.ts'
import { viewEditingMessages as words } from '../../../messages/view-editing.ts'

/** Properties of a view besides its settings. */
export interface ViewDraft {
  readonly name: string
  readonly type: ViewType
  readonly scope: ViewScope
  readonly isDefault: boolean
}

const NAME_MAX = 80

/** Name, type and scope of a view that is created or edited. */
export function ViewForm({
  draft: initial,
  submitLabel,
  scopes,
  onSubmit,
  onCancel,
}: {
  readonly draft: ViewDraft
  readonly submitLabel: string
  /** Scopes that the user may choose. */
  readonly scopes: readonly ViewScope[]
  readonly onSubmit: (draft: ViewDraft) => void
  readonly onCancel: () => void
}): JSX.Element {
  const [draft, setDraft] = useState(initial)
  const [isNameMissing, setNameMissing] = useState(false)
  const set = (change: Partial<ViewDraft>): void => setDraft((before) => ({ ...before, ...change }))
  const choices = scopes.includes(draft.scope) ? scopes : [...scopes, draft.scope]
  return (
    <form
      className="flex flex-col gap-3 p-1"
      onSubmit={(event) => {
        event.preventDefault()
        const name = draft.name.trim()
        setNameMissing(name === '')
        if (name !== '') onSubmit({ ...draft, name, isDefault: draft.isDefault && draft.scope !== 'personal' })
      }}
    >
      <TextField
        label={words.name}
        value={draft.name}
        maxLength={NAME_MAX}
        autoFocus
        errorMessage={isNameMissing ? words.nameMissing : undefined}
        onChange={(name) => set({ name })}
      />
      {VIEW_TYPES.length > 1 ? (
        <Select
          label={words.type}
          value={draft.type}
          options={VIEW_TYPES.map((type) => ({ value: type, label: words.types[type] }))}
          onChange={(value) => set({ type: VIEW_TYPES.find((type) => type === value) ?? 'grid' })}
        />
      ) : null}
      <Select
        label={words.scope}
        value={draft.scope}
        options={choices.map((scope) => ({ value: scope, label: words.scopes[scope] }))}
        description={words.scopeDetails[draft.scope]}
        onChange={(value) => set({ scope: choices.find((scope) => scope === value) ?? 'personal' })}
      />
      {draft.scope === 'personal' ? null : (
        <Checkbox isSelected={draft.isDefault} onChange={(isDefault) => set({ isDefault })}>
          {words.isDefault}
        </Checkbox>
      )}
      <div className="flex justify-end gap-2 pt-1">
        <Button size="sm" onPress={onCancel}>
          {words.cancel}
        </Button>
        <Button size="sm" tone="primary" type="submit">
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}
