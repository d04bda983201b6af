import { FingerprintPattern, Plus } from 'lucide-react'
import { type JSX, useCallback, useRef, useState } from 'react'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { webAuthnSupportHere } from '../../lib/webauthn-support.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { ActionButton } from './action-button.tsx'
import { deviceNameOf } from './device-name.ts'
import { FailureDetails, FailureText } from './failure-text.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ReadState } from './read-state.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
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

/** Ways in without a password. */
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
          passkey={named}
          onClose={() => setNamed(undefined)}
          onSaved={async () => {
            await reload()
            setNamed(undefined)
            showToast({ text: words.renamed })
          }}
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
  const action = useAction()
  const [isAsking, setAsking] = useState(false)
  const name = nameOf(passkey)
  const { last_used_at: usedAt } = passkey

  const remove = async (): Promise<void> => {
    setAsking(false)
    const isGone = await action.run(async () => {
      const { error } = await supabase.auth.passkey.delete({ passkeyId: passkey.id })
      if (error) throw error
      await onChanged()
    })
    if (!isGone) return
    showToast({ text: words.passkeyRemoved(name) })
    onGone()
  }
  return (
    <Row
      icon={<FingerprintPattern size={18} aria-hidden />}
      title={name}
      actions={
        <>
          <ActionButton size="sm" aria-label={words.renameNamed(name)} onPress={onRename}>
            {words.rename}
          </ActionButton>
          <ActionButton
            size="sm"
            aria-label={words.removeNamed(name)}
            isPending={action.isPending}
            onPress={() => setAsking(true)}
          >
            {accountMessages.remove}
          </ActionButton>
        </>
      }
      below={<FailureText failure={action.failure} />}
    >
      <span className="block first-letter:uppercase">
        {[
          words.added(new Date(passkey.created_at)),
          usedAt === undefined ? words.neverUsed : words.lastUsed(new Date(usedAt)),
        ].join(' · ')}
      </span>
      <ConfirmDialog
        title={words.removePasskeyTitle(name)}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDanger
        confirmLabel={accountMessages.remove}
        onConfirm={() => void remove()}
      >
        <p>{words.removePasskeyDetail}</p>
      </ConfirmDialog>
    </Row>
  )
}

/** Right after it was made, and whenever its name is to be another. */
function NameDialog({
  passkey,
  onSaved,
  onClose,
}: {
  readonly passkey: Passkey
  readonly onSaved: () => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const { supabase } = useAccount()
  const action = useAction()
  const [name, setName] = useState(passkey.friendly_name ?? deviceNameOf(navigator.userAgent).name ?? '')
  const [problem, setProblem] = useState<string>()
  const save = async (): Promise<void> => {
    const friendlyName = name.trim()
    setProblem(friendlyName === '' ? words.nameMissing : undefined)
    if (friendlyName === '') return
    const isSaved = await action.run(async () => {
      unwrap(await supabase.auth.passkey.update({ passkeyId: passkey.id, friendlyName }))
    })
    if (isSaved) await onSaved()
  }
  return (
    <FormDialog
      title={words.renameTitle}
      submitLabel={accountMessages.save}
      isPending={action.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        description={words.nameHelp}
        maxLength={120}
        autoFocus
        value={name}
        onChange={setName}
        errorMessage={problem ?? (action.failure ? <FailureDetails failure={action.failure} /> : undefined)}
      />
    </FormDialog>
  )
}
