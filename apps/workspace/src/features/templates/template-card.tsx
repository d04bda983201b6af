import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TableIcon } from '../../components/table-icon.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { pageLanguage } from '../../lib/language.ts'
import { templateMessages as words, templateRefusals } from '../../messages/templates.ts'
import type { Template } from './template-file.ts'
import { TemplatePreview } from './template-preview.tsx'

export interface TemplateCardProps {
  readonly template: Template
  readonly workspace: string
  readonly isDisabled: boolean
  readonly onUse: (template: Template) => void
}

/** A template in the gallery: preview, purpose, tables and the statements that it becomes. */
export function TemplateCard({ template, workspace, isDisabled, onUse }: TemplateCardProps): JSX.Element {
  return (
    <li className="flex flex-col rounded-lg border border-border bg-raised">
      <TemplatePreview template={template} />
      <div className="flex flex-1 flex-col gap-2 p-4">
        <h3 className="flex items-center gap-2 text-heading">
          <TableIcon table={template} size="lg" />
          {template.name}
        </h3>
        {template.description === undefined ? null : <p className="text-body text-muted">{template.description}</p>}
        <p className="text-small text-muted">
          {`${words.tables}: `}
          {template.tables.join(', ')}
        </p>
        <div className="mt-auto flex flex-col items-start gap-2 pt-2">
          <Button
            tone="primary"
            aria-label={words.useNamed(template.name)}
            isDisabled={isDisabled}
            onPress={() => onUse(template)}
          >
            {words.use}
          </Button>
          {isDisabled ? null : <Statements template={template} workspace={workspace} />}
        </div>
      </div>
    </li>
  )
}

/** A button for the statements of the template, which the server writes. */
function Statements({ template, workspace }: { readonly template: Template; readonly workspace: string }): JSX.Element {
  const call = useCall(templateRefusals)
  const [known, setKnown] = useState<string>()
  const ask = async (): Promise<void> => {
    const asked = await call.run<string>('template_sql', {
      workspace,
      template: template.document,
      language: pageLanguage(),
    })
    if (asked) setKnown(asked.result)
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button tone="quiet" size="sm" isPending={call.isPending} onPress={() => void ask()}>
        {words.showSql}
      </Button>
      <CallFailureText failure={call.failure} />
      <Dialog
        title={words.sqlOf(template.name)}
        isOpen={known !== undefined}
        onClose={() => setKnown(undefined)}
        size="lg"
      >
        {/* Makes it scrollable by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre
          tabIndex={0}
          className="overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-small text-text"
        >
          {known}
        </pre>
      </Dialog>
    </div>
  )
}
