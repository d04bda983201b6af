import { type JSX, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { DashboardDraft } from '../../lib/dashboards/dashboard-commands.ts'
import type { ViewScope } from '../../lib/views/use-views.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import { viewEditingMessages } from '../../messages/view-editing.ts'

export const NAME_MAX = 80

/** Who has a dashboard. */
export function ScopeSelect({
  scope,
  scopes,
  onChange,
}: {
  readonly scope: ViewScope
  readonly scopes: readonly ViewScope[]
  readonly onChange: (scope: ViewScope) => void
}): JSX.Element {
  const choices = scopes.includes(scope) ? scopes : [...scopes, scope]
  return (
    <Select
      label={words.scope}
      value={scope}
      options={choices.map((one) => ({ value: one, label: viewEditingMessages.scopes[one] }))}
      description={viewEditingMessages.scopeDetails[scope]}
      onChange={(value) => onChange(choices.find((one) => one === value) ?? 'personal')}
    />
  )
}

/** Name of a dashboard, and who has it. */
export function DashboardForm({
  draft: initial,
  scopes,
  onSubmit,
  onClose,
}: {
  readonly draft: DashboardDraft
  readonly scopes: readonly ViewScope[]
  readonly onSubmit: (draft: DashboardDraft) => void
  readonly onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState(initial)
  const [hasTried, setTried] = useState(false)
  const name = draft.name.trim()
  return (
    <FormDialog
      title={words.settings}
      submitLabel={words.save}
      isPending={false}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (name !== '') onSubmit({ ...draft, name })
      }}
    >
      <TextField
        label={words.name}
        value={draft.name}
        maxLength={NAME_MAX}
        errorMessage={hasTried && name === '' ? words.nameMissing : undefined}
        onChange={(text) => setDraft({ ...draft, name: text })}
      />
      <ScopeSelect scope={draft.scope} scopes={scopes} onChange={(scope) => setDraft({ ...draft, scope })} />
    </FormDialog>
  )
}
