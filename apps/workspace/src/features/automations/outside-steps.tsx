import type { AutomationStep } from '@holdfast/protocol'
import { Copy } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { copyText } from '../../components/copy-text.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { automationMessages as words, automationReasons } from '../../messages/automations.ts'
import type { AutomatedTable } from './draft.ts'
import { RecipientsField } from './recipients-field.tsx'
import { TemplateField } from './template-field.tsx'

type StepOf<Kind extends AutomationStep['kind']> = Extract<AutomationStep, { kind: Kind }>

interface FieldsProps<Kind extends AutomationStep['kind']> {
  readonly step: StepOf<Kind>
  /** Whose fields texts can name. */
  readonly table: AutomatedTable
  readonly isDisabled: boolean
  readonly onStep: (step: AutomationStep) => void
}

/** To whom a mail goes, and what it says. */
export function MailFields({
  step,
  workspace,
  hasRecord,
  ...part
}: FieldsProps<'mail'> & { readonly workspace: string; readonly hasRecord: boolean }): JSX.Element {
  const { hasMail } = useBackend().config
  const { table, isDisabled, onStep } = part
  return (
    <>
      {hasMail ? null : (
        <Notice tone="warning" title={words.noMail}>
          {words.noMailDetail}
        </Notice>
      )}
      <RecipientsField
        to={step.to}
        table={table}
        workspace={workspace}
        hasRecord={hasRecord}
        hasAddresses
        isDisabled={isDisabled}
        onChange={(to) => onStep({ ...step, to })}
      />
      <TemplateField
        label={words.subject}
        value={step.subject}
        table={table}
        isDisabled={isDisabled}
        onChange={(subject) => onStep({ ...step, subject })}
      />
      <TemplateField
        label={words.message}
        value={step.text}
        table={table}
        rows={4}
        isDisabled={isDisabled}
        onChange={(text) => onStep({ ...step, text })}
      />
    </>
  )
}

/** Where a webhook goes, and its secrets. */
export function WebhookFields({
  step,
  automation,
  ...part
}: FieldsProps<'webhook'> & {
  /** Id of the automation, once it is saved. */
  readonly automation: string | undefined
}): JSX.Element {
  const { isDisabled, onStep } = part
  return (
    <>
      <TextField
        label={words.url}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        placeholder="https://"
        description={words.urlHelp}
        isDisabled={isDisabled}
        value={step.url}
        onChange={(url) => onStep({ ...step, url: url.trim() })}
      />
      <OptionalText {...part} step={step} />
      <TextField
        label={words.header}
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        description={words.headerHelp}
        isDisabled={isDisabled}
        value={step.header ?? ''}
        onChange={(header) => {
          const { header: _replaced, ...rest } = step
          onStep(header.trim() === '' ? rest : { ...rest, header: header.trim() })
        }}
      />
      {automation === undefined ? (
        <p className="text-small text-muted">{words.secretsAfterSaving}</p>
      ) : (
        <>
          {step.header === undefined ? null : (
            <HeaderValue automation={automation} url={step.url} header={step.header} isDisabled={isDisabled} />
          )}
          <SigningSecret automation={automation} isDisabled={isDisabled} />
        </>
      )}
    </>
  )
}

/** Which function runs. */
export function FunctionFields({ step, ...part }: FieldsProps<'function'>): JSX.Element {
  const { isDisabled, onStep } = part
  return (
    <>
      <TextField
        label={words.functionName}
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        description={words.functionHelp}
        isDisabled={isDisabled}
        value={step.name}
        onChange={(name) => onStep({ ...step, name: name.trim() })}
      />
      <OptionalText {...part} step={step} />
    </>
  )
}

function OptionalText({ step, table, isDisabled, onStep }: FieldsProps<'webhook' | 'function'>): JSX.Element {
  return (
    <TemplateField
      label={words.optionalText}
      value={step.text ?? ''}
      table={table}
      rows={2}
      isDisabled={isDisabled}
      onChange={(text) => {
        const { text: _replaced, ...rest } = step
        onStep(text === '' ? rest : { ...rest, text })
      }}
    />
  )
}

/** A field that keeps a secret on the server and never shows it again. */
function HeaderValue({
  automation,
  url,
  header,
  isDisabled,
}: {
  readonly automation: string
  readonly url: string
  readonly header: string
  readonly isDisabled: boolean
}): JSX.Element {
  const call = useCall(automationReasons)
  const [value, setValue] = useState('')
  const keep = async (): Promise<void> => {
    if (!(await call.run('set_automation_header', { automation, url, header, value }))) return
    setValue('')
    showToast({ text: words.headerKept })
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label={words.headerValue(header)}
          type="password"
          autoComplete="off"
          className="min-w-0 flex-1"
          isDisabled={isDisabled}
          value={value}
          onChange={setValue}
        />
        <Button isDisabled={isDisabled || value === ''} isPending={call.isPending} onPress={() => void keep()}>
          {words.keepSecret}
        </Button>
      </div>
      <CallFailureText failure={call.failure} />
    </div>
  )
}

function SigningSecret({
  automation,
  isDisabled,
}: {
  readonly automation: string
  readonly isDisabled: boolean
}): JSX.Element {
  const call = useCall(automationReasons)
  const [secret, setSecret] = useState<string>()
  if (secret !== undefined)
    return (
      <TextField
        label={words.signingSecret}
        isReadOnly
        isMono
        description={words.signingHelp}
        value={secret}
        trailing={
          <IconButton
            label={words.copySecret}
            icon={<Copy size={16} aria-hidden />}
            onPress={() => void copyText(secret, words.copied)}
          />
        }
      />
    )
  return (
    <div>
      <Button
        tone="quiet"
        size="sm"
        isDisabled={isDisabled}
        isPending={call.isPending}
        onPress={() =>
          void call.run<string>('automation_secret', { automation }).then((done) => setSecret(done?.result))
        }
      >
        {words.showSigningSecret}
      </Button>
      <CallFailureText failure={call.failure} />
    </div>
  )
}
