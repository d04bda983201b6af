import { Copy } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { textLinkClass } from '../../components/text-link.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { freeName } from './factors.ts'
import { forgetAbandoned } from './forget-abandoned.ts'
import { NameDialog } from './name-dialog.tsx'
import { unwrap } from './unwrap.ts'
import { copyText } from '../../components/copy-text.ts'

const TOTP_DIGITS = 6

interface Enrolled {
  readonly id: string
  readonly name: string
  readonly qr: string
  readonly secret: string
  readonly uri: string
}

export interface AddFactorDialogProps {
  /** Names of the other second factors. */
  readonly taken: readonly string[]
  readonly onAdded: (name: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks for a name, shows the QR code, then asks for a code from the app to verify it. */
export function AddAppDialog({ taken, onAdded, onClose }: AddFactorDialogProps): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const { mfa } = supabase.auth
  const [enrolled, setEnrolled] = useState<Enrolled>()

  if (enrolled === undefined) {
    return (
      <NameDialog
        title={words.appTitle}
        submitLabel={accountMessages.continue}
        initialName={freeName(words.factorKinds.totp, taken)}
        onSubmit={async (name) => {
          await forgetAbandoned(supabase, 'totp')
          const { id, totp } = unwrap(
            await mfa.enroll({ factorType: 'totp', friendlyName: name, issuer: config.project.name }),
          )
          setEnrolled({ id, name, qr: totp.qr_code, secret: totp.secret, uri: totp.uri })
        }}
        onClose={onClose}
      />
    )
  }
  const { id: factorId, name, qr } = enrolled
  return (
    <CodeDialog
      title={words.appTitle}
      submitLabel={words.confirm}
      digits={TOTP_DIGITS}
      description={words.appCode}
      lead={
        <>
          <p>{words.appScan}</p>
          {/* White even in dark mode: scanners need dark on light with a quiet zone. */}
          <img
            src={svgAddress(qr)}
            alt={words.qrAlt}
            className="size-52 self-center rounded-md border border-border bg-[#fff]"
          />
          <div>
            <Secret factor={enrolled} />
          </div>
        </>
      }
      onSubmit={async (code) => {
        unwrap(await mfa.challengeAndVerify({ factorId, code }))
      }}
      onDone={() => onAdded(name)}
      onClose={() => {
        // An unverified factor is useless. If this request fails, the next enrolment removes the factor.
        void mfa.unenroll({ factorId })
        onClose()
      }}
    >
      <p className="text-small text-muted">{words.otherDevices}</p>
    </CodeDialog>
  )
}

/** The key as text, for apps that cannot scan. */
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
 * Returns a data URL of the auth client's SVG, for an `<img>`, where scripts in it cannot run. The client does not escape the SVG in its own
 * `data:image/svg+xml;utf-8,` URL, so a `#` in it would end the URL.
 */
function svgAddress(qrCode: string): string {
  const svg = qrCode.slice(qrCode.indexOf('<'))
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}
