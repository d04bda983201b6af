import { Copy } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { TextField } from '../../components/text-field.tsx'
import { textLinkClass } from '../../components/text-link.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { CodeField } from './code-field.tsx'
import { FailureDetails } from './failure-text.tsx'
import { freeName } from './factors.ts'
import { forgetAbandoned } from './forget-abandoned.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { copyText } from '../../components/copy-text.ts'

const TOTP_DIGITS = 6

interface Enrolled {
  readonly id: string
  readonly qr: string
  readonly secret: string
  readonly uri: string
}

interface AddAppDialogProps {
  /** Names of the other second steps. */
  readonly taken: readonly string[]
  readonly onAdded: (name: string) => Promise<void>
  readonly onClose: () => void
}

/** A name, then the code to scan, then a code from the app as the proof that it works. */
export function AddAppDialog({ taken, onAdded, onClose }: AddAppDialogProps): JSX.Element {
  const { supabase } = useAccount()
  const [name, setName] = useState(() => freeName(words.factorKinds.totp, taken))
  const [enrolled, setEnrolled] = useState<Enrolled>()

  if (enrolled === undefined) {
    return <NameStep name={name} onNameChange={setName} onEnrolled={setEnrolled} onClose={onClose} />
  }
  return (
    <ScanStep
      factor={enrolled}
      onConfirmed={() => onAdded(name.trim())}
      onClose={() => {
        // A factor that was not confirmed is of no use. When this does not arrive, the next enrolment removes it.
        void supabase.auth.mfa.unenroll({ factorId: enrolled.id })
        onClose()
      }}
    />
  )
}

function NameStep({
  name,
  onNameChange,
  onEnrolled,
  onClose,
}: {
  readonly name: string
  readonly onNameChange: (name: string) => void
  readonly onEnrolled: (factor: Enrolled) => void
  readonly onClose: () => void
}): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const action = useAction()
  const [problem, setProblem] = useState<string>()
  const enrol = async (): Promise<void> => {
    setProblem(name.trim() === '' ? words.nameMissing : undefined)
    if (name.trim() === '') return
    await action.run(async () => {
      await forgetAbandoned(supabase, 'totp')
      const { id, totp } = unwrap(
        await supabase.auth.mfa.enroll({
          factorType: 'totp',
          friendlyName: name.trim(),
          issuer: config.project.name,
        }),
      )
      onEnrolled({ id, qr: totp.qr_code, secret: totp.secret, uri: totp.uri })
    })
  }
  return (
    <FormDialog
      title={words.appTitle}
      submitLabel={accountMessages.continue}
      isPending={action.isPending}
      onSubmit={enrol}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        description={words.nameHelp}
        maxLength={100}
        autoFocus
        value={name}
        onChange={onNameChange}
        errorMessage={problem ?? (action.failure ? <FailureDetails failure={action.failure} /> : undefined)}
      />
    </FormDialog>
  )
}

function ScanStep({
  factor,
  onConfirmed,
  onClose,
}: {
  readonly factor: Enrolled
  readonly onConfirmed: () => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const { supabase } = useAccount()
  const action = useAction()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const confirm = async (): Promise<void> => {
    setProblem(code.length < TOTP_DIGITS ? accountMessages.codeMissing : undefined)
    if (code.length < TOTP_DIGITS) return
    const isRight = await action.run(async () => {
      unwrap(await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code }))
    })
    if (isRight) await onConfirmed()
    else setCode('')
  }
  return (
    <FormDialog
      title={words.appTitle}
      submitLabel={words.confirm}
      isPending={action.isPending}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>{words.appScan}</p>
      {/* White in the dark as well: scanners want dark on light, with a quiet edge. */}
      <img
        src={svgAddress(factor.qr)}
        alt={words.qrAlt}
        className="size-52 self-center rounded-md border border-border bg-[#fff]"
      />
      <div>
        <Secret factor={factor} />
      </div>
      <CodeField
        value={code}
        onChange={setCode}
        description={words.appCode}
        failure={problem === undefined ? action.failure : { code: 'HF-CODE-MISSING', message: problem }}
      />
      <p className="text-small text-muted">{words.otherDevices}</p>
    </FormDialog>
  )
}

/** The key as text, for an app that cannot scan. */
function Secret({ factor: { secret, uri } }: { readonly factor: Enrolled }): JSX.Element {
  return (
    <Disclosure title={words.cannotScan}>
      <div className="flex flex-col gap-2 text-body">
        <p>{words.secretHelp}</p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <code aria-label={words.secret} className="font-mono text-mono break-all text-text select-all">
            {secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
          </code>
          <Button
            size="sm"
            icon={<Copy size={14} aria-hidden />}
            onPress={() => void copyText(secret, words.copied, words.notCopied)}
          >
            {words.copySecret}
          </Button>
        </p>
        <p>
          <a href={uri} className={textLinkClass}>
            {words.openApp}
          </a>
        </p>
      </div>
    </Disclosure>
  )
}

/**
 * An address for the SVG that the auth client hands out, for an `<img>`, where no script in it can run. The client puts the
 * picture behind `data:image/svg+xml;utf-8,` as it is, and a `#` in it would end the address.
 */
function svgAddress(qrCode: string): string {
  const svg = qrCode.slice(qrCode.indexOf('<'))
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}
