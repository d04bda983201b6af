import type { HookPayload } from '../hooks/hooks.ts'
import { renderUser } from '../users/render-user.ts'
import type { UserRow } from '../users/user-row.ts'
import type { LinkType } from './confirmation-url.ts'
import type {
  MailKind,
  OutgoingAutomationMail,
  OutgoingDigest,
  OutgoingInvitation,
  OutgoingMail,
  OutgoingNotice,
  OutgoingSms,
} from './messages.ts'

/** Names of mail kinds in links and hooks. */
export const ACTION_TYPES: Readonly<Record<MailKind, LinkType | 'reauthentication'>> = {
  confirmation: 'signup',
  recovery: 'recovery',
  magic_link: 'magiclink',
  invite: 'invite',
  email_change: 'email_change',
  reauthentication: 'reauthentication',
}

/**
 * Renders the payload of the `send_email` hook in GoTrue's format.
 *
 * For an email change confirmed by both addresses, `token_hash` belongs to `token_new` and `token_hash_new` to `token`: GoTrue sends it
 * that way, and existing hooks expect it.
 *
 * @param issuer - URL of this API, which GoTrue calls the site here
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

/** Payload of the `send_email` hook for an account change, in GoTrue's format. */
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

/** Payload of the `send_email` hook for a workspace invitation. @param user - `undefined` without an account */
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

/** Payload of the `send_email` hook for the daily mail, which is already rendered. */
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

/** Payload of the `send_email` hook for a mail of an automation, which is already rendered. */
export function sendAutomationPayload(
  mail: OutgoingAutomationMail,
  user: UserRow | undefined,
  issuer: string,
): HookPayload {
  const { to, subject, html, text, link } = mail
  return {
    user: user ? renderUser(user) : { email: to },
    email_data: {
      token: '',
      token_hash: '',
      redirect_to: link,
      email_action_type: 'automation',
      site_url: issuer,
      token_new: '',
      token_hash_new: '',
      subject,
      html,
      text,
    },
  }
}

/** Payload of the `send_sms` hook in GoTrue's format. */
export function sendSmsPayload(user: UserRow, sms: OutgoingSms): HookPayload {
  return {
    user: renderUser(user),
    sms: { otp: sms.code, ...(sms.kind === 'mfa' ? { sms_type: 'mfa' } : {}), phone: sms.to },
  }
}
