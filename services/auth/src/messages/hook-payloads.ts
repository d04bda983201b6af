import type { HookPayload } from '../hooks/hooks.ts'
import { renderUser } from '../users/render-user.ts'
import type { UserRow } from '../users/user-row.ts'
import type { LinkType } from './confirmation-url.ts'
import type {
  MailKind,
  OutgoingDigest,
  OutgoingInvitation,
  OutgoingMail,
  OutgoingNotice,
  OutgoingSms,
} from './messages.ts'

/** What a kind of mail is called in links and hooks. */
export const ACTION_TYPES: Readonly<Record<MailKind, LinkType | 'reauthentication'>> = {
  confirmation: 'signup',
  recovery: 'recovery',
  magic_link: 'magiclink',
  invite: 'invite',
  email_change: 'email_change',
  reauthentication: 'reauthentication',
}

/**
 * What the `send_email` hook is asked to send, in GoTrue's form.
 *
 * In a change of address that both addresses confirm, `token_hash` belongs to `token_new`, and `token_hash_new` to `token`. That is how GoTrue sends it
 * and how hooks that were written for it read it.
 *
 * @param issuer - the address of this API, which GoTrue calls the site here
 */
export function sendEmailPayload(user: UserRow, mail: OutgoingMail, issuer: string): HookPayload {
  const hasTwo = mail.tokenNew !== undefined && mail.tokenNew !== '' && mail.token !== ''
  return {
    user: { ...renderUser(user), ...(mail.newEmail === undefined ? {} : { new_email: mail.newEmail }) },
    email_data: {
      token: mail.token === '' ? (mail.tokenNew ?? '') : mail.token,
      token_hash: mail.tokenHashNew ?? mail.tokenHash ?? '',
      redirect_to: mail.redirectTo,
      email_action_type: ACTION_TYPES[mail.kind],
      site_url: issuer,
      token_new: hasTwo ? mail.tokenNew : '',
      token_hash_new: hasTwo ? (mail.tokenHash ?? '') : '',
      old_email: '',
      old_phone: '',
      provider: '',
      factor_type: '',
    },
  }
}

/** What the `send_email` hook is asked to send about a change of the account, in GoTrue's form. */
export function sendNoticePayload(notice: OutgoingNotice, issuer: string, siteUrl: string): HookPayload {
  const { kind, user, values } = notice
  return {
    user: renderUser(user),
    email_data: {
      token: '',
      token_hash: '',
      redirect_to: siteUrl,
      email_action_type: kind,
      site_url: issuer,
      token_new: '',
      token_hash_new: '',
      old_email: values.oldEmail ?? '',
      old_phone: values.oldPhone ?? '',
      provider: values.provider ?? '',
      factor_type: values.factorType ?? '',
    },
  }
}

/** What the `send_email` hook is asked to send for an invitation to a workspace. @param user - `undefined` for whoever has no account yet */
export function sendInvitationPayload(
  invitation: OutgoingInvitation,
  user: UserRow | undefined,
  issuer: string,
): HookPayload {
  const { to, link, workspace, inviter, team, message, expiresAt } = invitation
  return {
    user: user ? renderUser(user) : { email: to },
    email_data: {
      token: '',
      token_hash: '',
      redirect_to: link,
      email_action_type: 'workspace_invitation',
      site_url: issuer,
      token_new: '',
      token_hash_new: '',
      workspace,
      inviter: inviter ?? '',
      team: team ?? '',
      message: message ?? '',
      expires_at: expiresAt.toISOString(),
    },
  }
}

/** What the `send_email` hook is asked to send for the daily mail: it is written already. */
export function sendDigestPayload(digest: OutgoingDigest, user: UserRow, issuer: string): HookPayload {
  const { subject, html, text, link, offUrl } = digest
  return {
    user: renderUser(user),
    email_data: {
      token: '',
      token_hash: '',
      redirect_to: link,
      email_action_type: 'daily_mail',
      site_url: issuer,
      token_new: '',
      token_hash_new: '',
      subject,
      html,
      text,
      list_unsubscribe: offUrl,
    },
  }
}

/** What the `send_sms` hook is asked to send, in GoTrue's form. */
export function sendSmsPayload(user: UserRow, sms: OutgoingSms): HookPayload {
  return {
    user: renderUser(user),
    sms: { otp: sms.code, ...(sms.kind === 'mfa' ? { sms_type: 'mfa' } : {}), phone: sms.to },
  }
}
