import type { User } from '@supabase/supabase-js'
import { Mail, Phone } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.tsx'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { profileMessages as words } from '../../messages/account-profile.ts'
import { useAccount } from './account-context.tsx'
import { ActionButton } from './action-button.tsx'
import { EmailDialog } from './email-dialog.tsx'
import { FailureText } from './failure-text.tsx'
import { PhoneDialog } from './phone-dialog.tsx'
import { Row, Rows, Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { useAuthSettings } from './use-auth-settings.ts'

/** E-mail and phone with buttons to change them. A change applies once it is confirmed. */
export function ContactSection({ user }: { readonly user: User }): JSX.Element {
  const { state } = useAuthSettings()
  const [dialog, setDialog] = useState<'email' | 'phone' | 'phone-code'>()
  const email = user.email ?? ''
  const phone = user.phone ?? ''
  const hasPhone = phone !== '' || (state.kind === 'ready' && state.value.phone)
  const newPhone = user.new_phone ?? ''
  return (
    <Section title={words.reachTitle} description={words.reachLead}>
      {user.new_email ? <PendingEmail user={user} next={user.new_email} onOther={() => setDialog('email')} /> : null}
      <Rows label={words.reachTitle}>
        <Row
          icon={<Mail size={18} aria-hidden />}
          isIconSpared
          title={words.email}
          actions={
            <ActionButton
              size="sm"
              aria-label={email === '' ? words.addEmail : words.changeEmail}
              onPress={() => setDialog('email')}
            >
              {email === '' ? words.add : words.change}
            </ActionButton>
          }
        >
          <span className="text-body text-text">{email === '' ? words.none : email}</span>
        </Row>
        <Row
          icon={<Phone size={18} aria-hidden />}
          isIconSpared
          title={words.phone}
          actions={
            hasPhone ? (
              <>
                {newPhone === '' ? null : (
                  <ActionButton size="sm" tone="primary" onPress={() => setDialog('phone-code')}>
                    {words.enterCode}
                  </ActionButton>
                )}
                <ActionButton
                  size="sm"
                  aria-label={phone === '' && newPhone === '' ? words.addPhone : words.changePhone}
                  onPress={() => setDialog('phone')}
                >
                  {phone === '' && newPhone === '' ? words.add : words.change}
                </ActionButton>
              </>
            ) : undefined
          }
        >
          <span className="text-body text-text">{phone === '' ? words.none : `+${phone}`}</span>
          {newPhone === '' ? null : <span className="block text-warning">{words.phonePending(`+${newPhone}`)}</span>}
          {hasPhone || state.kind !== 'ready' ? null : <span className="block">{words.phoneOff}</span>}
        </Row>
      </Rows>
      {dialog === 'email' ? <EmailDialog user={user} onClose={() => setDialog(undefined)} /> : null}
      {dialog === 'phone' || dialog === 'phone-code' ? (
        <PhoneDialog
          user={user}
          sentTo={dialog === 'phone-code' ? newPhone : undefined}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </Section>
  )
}

/** A new address waiting for confirmation, by its own link or by both. */
function PendingEmail({
  user,
  next,
  onOther,
}: {
  readonly user: User
  readonly next: string
  readonly onOther: () => void
}): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const action = useAction()
  const old = user.email ?? ''
  const sendAgain = async (): Promise<void> => {
    const isSent = await action.run(async () => {
      // The server finds the account by its current address. Without one, the change is requested again.
      const answer =
        old === ''
          ? await supabase.auth.updateUser({ email: next }, { emailRedirectTo: emailCallback() })
          : await supabase.auth.resend({
              type: 'email_change',
              email: old,
              options: { emailRedirectTo: emailCallback() },
            })
      unwrap(answer)
    })
    if (isSent) showToast({ text: words.sentAgain })
  }
  return (
    <Notice
      tone="warning"
      title={words.confirmTitle}
      actions={
        <>
          <ActionButton size="sm" isPending={action.isPending} onPress={() => void sendAgain()}>
            {words.sendAgain}
          </ActionButton>
          <ActionButton size="sm" tone="quiet" onPress={onOther}>
            {words.differentAddress}
          </ActionButton>
        </>
      }
    >
      <p>
        {config.account.isEmailChangeConfirmedTwice && old !== ''
          ? words.confirmTwice(next, old)
          : words.confirmOnce(next)}
      </p>
      <FailureText failure={action.failure} />
    </Notice>
  )
}

/** Returns where the links of an e-mail change lead. */
function emailCallback(): string {
  return callbackUrl({ flow: 'email-change', redirect: '/account' })
}
