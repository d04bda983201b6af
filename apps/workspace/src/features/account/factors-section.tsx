import type { Factor } from '@supabase/supabase-js'
import { KeyRound, Plus, Smartphone, TabletSmartphone } from 'lucide-react'
import { type JSX, type ReactNode, useRef, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import { webAuthnSupportHere } from '../../lib/webauthn-support.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { ActionButton } from './action-button.tsx'
import { AddAppDialog } from './add-app-dialog.tsx'
import { AddKeyDialog } from './add-key-dialog.tsx'
import { AddPhoneFactorDialog } from './add-phone-factor-dialog.tsx'
import { nameOfFactor } from './factors.ts'
import { RecoveryCodesRow } from './recovery-codes-row.tsx'
import { ReadState } from './read-state.tsx'
import { RemovableRow } from './removable-row.tsx'
import { NoRows, Rows, Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import type { AuthSettingsRead } from './use-auth-settings.ts'
import { WhyNoWebAuthn } from './why-no-webauthn.tsx'

const ICON = { size: 18, 'aria-hidden': true } as const
const ICONS: Readonly<Record<Factor['factor_type'], ReactNode>> = {
  totp: <TabletSmartphone {...ICON} />,
  phone: <Smartphone {...ICON} />,
  webauthn: <KeyRound {...ICON} />,
  recovery_code: <KeyRound {...ICON} />,
}

/** Lists the second factors, with buttons to add and remove one. */
export function FactorsSection({
  factors,
  settings: { state, reload },
}: {
  /** The verified factors. */
  readonly factors: readonly Factor[]
  readonly settings: AuthSettingsRead
}): JSX.Element {
  const account = useAccount()
  const [dialog, setDialog] = useState<'totp' | 'phone' | 'webauthn'>()
  const headingRef = useRef<HTMLHeadingElement>(null)
  // Recovery codes are not a second factor; they replace a lost one.
  const steps = factors.filter((factor) => factor.factor_type !== 'recovery_code')
  const names = factors.map(nameOfFactor)
  const close = (): void => setDialog(undefined)
  const added = async (name: string): Promise<void> => {
    await account.reload()
    showToast({ text: words.factorAdded(name) })
    close()
  }
  return (
    <Section title={words.factorsTitle} description={words.factorsLead} headingRef={headingRef}>
      {steps.length === 0 ? (
        <NoRows>{words.noFactors}</NoRows>
      ) : (
        <Rows label={words.factorsLabel}>
          {steps.map((factor) => (
            <FactorRow
              key={factor.id}
              factor={factor}
              isLast={steps.length === 1}
              onGone={() => headingRef.current?.focus()}
            />
          ))}
          <RecoveryCodesRow
            hasCodes={factors.length > steps.length}
            canMake={state.kind === 'ready' && state.value.factors.recoveryCodes}
          />
        </Rows>
      )}
      {steps.length === 0 ? null : (
        <p className="max-w-[68ch] text-small text-muted">
          {steps.length === 1 ? `${words.oneFactor} ` : ''}
          {words.recovery}
        </p>
      )}
      <ReadState state={state} onRetry={reload} rows={1}>
        {({ factors: kinds }) => {
          if (!kinds.totp && !kinds.phone && !kinds.webauthn) return <p className="text-muted">{words.noFactorKinds}</p>
          const support = webAuthnSupportHere()
          const icon = <Plus size={16} aria-hidden />
          return (
            <div className="flex flex-wrap gap-2">
              {kinds.totp ? (
                <ActionButton icon={icon} onPress={() => setDialog('totp')}>
                  {words.addApp}
                </ActionButton>
              ) : null}
              {kinds.phone ? (
                <ActionButton icon={icon} onPress={() => setDialog('phone')}>
                  {words.addPhone}
                </ActionButton>
              ) : null}
              {kinds.webauthn && support.kind === 'yes' ? (
                <ActionButton icon={icon} onPress={() => setDialog('webauthn')}>
                  {words.addKey}
                </ActionButton>
              ) : null}
              {kinds.webauthn && support.kind !== 'yes' ? <WhyNoWebAuthn support={support} /> : null}
            </div>
          )
        }}
      </ReadState>
      {dialog === 'totp' ? <AddAppDialog taken={names} onAdded={added} onClose={close} /> : null}
      {dialog === 'phone' ? <AddPhoneFactorDialog taken={names} onAdded={added} onClose={close} /> : null}
      {dialog === 'webauthn' ? <AddKeyDialog taken={names} onAdded={added} onClose={close} /> : null}
    </Section>
  )
}

function FactorRow({
  factor,
  isLast,
  onGone,
}: {
  readonly factor: Factor
  readonly isLast: boolean
  readonly onGone: () => void
}): JSX.Element {
  const { supabase, reload } = useAccount()
  const name = nameOfFactor(factor)
  const usedAt = factor.last_challenged_at
  return (
    <RemovableRow
      icon={ICONS[factor.factor_type]}
      title={name}
      removal={{
        label: accountMessages.remove,
        namedLabel: words.removeNamed(name),
        title: words.removeFactorTitle(name),
        detail: isLast ? words.removeLastFactor : words.removeFactorDetail,
        done: words.factorRemoved(name),
        async run() {
          unwrap(await supabase.auth.mfa.unenroll({ factorId: factor.id }))
          // Refreshes the token, because its assurance level drops to a single factor.
          unwrap(await supabase.auth.refreshSession())
          await reload()
        },
        onGone,
      }}
    >
      <span className="block">{words.factorDetail[factor.factor_type]}</span>
      <span className="block first-letter:uppercase">
        {[words.added(new Date(factor.created_at)), usedAt ? words.lastUsed(new Date(usedAt)) : words.neverUsed].join(
          ' · ',
        )}
      </span>
    </RemovableRow>
  )
}
