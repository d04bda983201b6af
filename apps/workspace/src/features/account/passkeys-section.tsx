import { FingerprintPattern, Plus } from 'lucide-react'
import { type JSX, useCallback, useRef, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import { webAuthnSupportHere } from '../../lib/webauthn-support.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { ActionButton } from './action-button.tsx'
import { deviceNameOf } from '../../lib/auth/device-name.ts'
import { FailureText } from './failure-text.tsx'
import { NameDialog } from './name-dialog.tsx'
import { ReadState } from './read-state.tsx'
import { RemovableRow } from './removable-row.tsx'
import { NoRows, Rows, Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import type { AuthSettingsRead } from './use-auth-settings.ts'
import { useOnlineRead } from './use-online-read.ts'
import { WhyNoWebAuthn } from './why-no-webauthn.tsx'

interface Passkey {
  readonly id: string
  readonly friendly_name?: string
  readonly created_at: string
  readonly last_used_at?: string
}

/** Sign-in methods without a password. */
export function PasskeysSection({ settings: { state, reload } }: { readonly settings: AuthSettingsRead }): JSX.Element {
  const { user } = useAccount()
  return (
    <Section title={words.passkeysTitle} description={words.passkeysLead}>
      <ReadState state={state} onRetry={reload} rows={1}>
        {({ passkeys }) =>
          user?.is_anonymous === true ? (
            <NoRows>{words.passkeysGuest}</NoRows>
          ) : passkeys ? (
            <PasskeyList />
          ) : (
            <NoRows>{words.passkeysOff}</NoRows>
          )
        }
      </ReadState>
    </Section>
  )
}

function PasskeyList(): JSX.Element {
  const { supabase } = useAccount()
  const { state, reload } = useOnlineRead(
    useCallback(async (): Promise<readonly Passkey[]> => unwrap(await supabase.auth.passkey.list()), [supabase]),
  )
  const action = useAction()
  const [named, setNamed] = useState<Passkey>()
  const addRef = useRef<HTMLDivElement>(null)
  const support = webAuthnSupportHere()

  const add = (): void => {
    void action.run(async () => {
      const passkey = unwrap(await supabase.auth.registerPasskey())
      await reload()
      setNamed(passkey)
    })
  }
  return (
    <>
      <ReadState state={state} onRetry={reload} rows={1}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <NoRows>{words.noPasskeys}</NoRows>
          ) : (
            <Rows label={words.passkeysLabel}>
              {passkeys.map((passkey) => (
                <PasskeyRow
                  key={passkey.id}
                  passkey={passkey}
                  onRename={() => setNamed(passkey)}
                  onChanged={reload}
                  onGone={() => addRef.current?.querySelector('button')?.focus()}
                />
              ))}
            </Rows>
          )
        }
      </ReadState>
      <div ref={addRef} className="flex flex-col items-start gap-2">
        {support.kind === 'yes' ? (
          <ActionButton icon={<Plus size={16} aria-hidden />} isPending={action.isPending} onPress={add}>
            {words.addPasskey}
          </ActionButton>
        ) : (
          <WhyNoWebAuthn support={support} />
        )}
        <FailureText failure={action.failure} />
      </div>
      {named === undefined ? null : (
        <NameDialog
          // Opens right after creation, and for every rename.
          title={words.renameTitle}
          submitLabel={accountMessages.save}
          initialName={named.friendly_name ?? deviceNameOf(navigator.userAgent).name ?? ''}
          maxLength={120}
          onSubmit={async (friendlyName) => {
            unwrap(await supabase.auth.passkey.update({ passkeyId: named.id, friendlyName }))
          }}
          onDone={async () => {
            await reload()
            setNamed(undefined)
            showToast({ text: words.renamed })
          }}
          onClose={() => setNamed(undefined)}
        />
      )}
    </>
  )
}

function nameOf({ friendly_name: name }: Passkey): string {
  return name === undefined || name.trim() === '' ? words.passkeyUnnamed : name
}

function PasskeyRow({
  passkey,
  onRename,
  onChanged,
  onGone,
}: {
  readonly passkey: Passkey
  readonly onRename: () => void
  readonly onChanged: () => Promise<void>
  readonly onGone: () => void
}): JSX.Element {
  const { supabase } = useAccount()
  const name = nameOf(passkey)
  const { last_used_at: usedAt } = passkey
  return (
    <RemovableRow
      icon={<FingerprintPattern size={18} aria-hidden />}
      title={name}
      actions={
        <ActionButton size="sm" aria-label={words.renameNamed(name)} onPress={onRename}>
          {words.rename}
        </ActionButton>
      }
      removal={{
        label: accountMessages.remove,
        namedLabel: words.removeNamed(name),
        title: words.removePasskeyTitle(name),
        detail: words.removePasskeyDetail,
        done: words.passkeyRemoved(name),
        async run() {
          const { error } = await supabase.auth.passkey.delete({ passkeyId: passkey.id })
          if (error) throw error
          await onChanged()
        },
        onGone,
      }}
    >
      <span className="block first-letter:uppercase">
        {[
          words.added(new Date(passkey.created_at)),
          usedAt === undefined ? words.neverUsed : words.lastUsed(new Date(usedAt)),
        ].join(' · ')}
      </span>
    </RemovableRow>
  )
}
