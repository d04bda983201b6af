import type { AuthOptions } from '../options/auth-options.ts'
import { confirmationUrl, confirmPageUrl } from './confirmation-url.ts'
import { ACTION_TYPES } from './hook-payloads.ts'
import type { UserRow } from '../users/user-row.ts'
import type { OutgoingInvitation, OutgoingMail, OutgoingNotice } from './messages.ts'
import type { TemplateValues } from './template/compile-template.ts'

/** Server values available in every template. */
export interface TemplateSite {
  readonly options: Pick<AuthOptions, 'emailOtpExpiry'>
  readonly projectName: string
  /** URL of this API. */
  readonly issuer: string
  readonly siteUrl: string
}

/** @param currentEmail - the account's address before a change */
export function mailValues(site: TemplateSite, mail: OutgoingMail, currentEmail: string): TemplateValues {
  const { kind, tokenHash, redirectTo } = mail
  const { issuer, siteUrl, projectName, options } = site
  const type = ACTION_TYPES[kind]
  const hasLink = tokenHash !== undefined && type !== 'reauthentication'
  const link = hasLink ? confirmationUrl({ issuer, tokenHash, type, redirectTo }) : ''
  return {
    ConfirmationURL: link,
    ConfirmPageURL: confirmPageUrl(link),
    Token: mail.token,
    TokenHash: tokenHash ?? '',
    SiteURL: siteUrl,
    RedirectTo: redirectTo,
    Email: currentEmail,
    NewEmail: mail.newEmail ?? '',
    SendingTo: mail.to,
    Data: mail.data,
    ProjectName: projectName,
    ExpiryMinutes: Math.floor(options.emailOtpExpiry / 60),
  }
}

export function invitationValues(
  { siteUrl, projectName }: TemplateSite,
  invitation: OutgoingInvitation,
): TemplateValues {
  const { to, link, workspace, inviter, team, message, expiresAt } = invitation
  return {
    ConfirmationURL: link,
    ConfirmPageURL: link,
    SiteURL: siteUrl,
    Email: to,
    SendingTo: to,
    Workspace: workspace,
    Inviter: inviter ?? '',
    Team: team ?? '',
    Message: message ?? '',
    ExpiresOn: expiresAt.toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    }),
    ProjectName: projectName,
  }
}

/** What a notice says about an account. */
type DescribedNotice = Omit<OutgoingNotice, 'user'> & {
  readonly user: Pick<UserRow, 'email' | 'phone' | 'raw_user_meta_data'>
}

/** `.Email` is the recipient if the mail is about a removed address, because the account may have another by now. */
export function noticeValues(
  { siteUrl, projectName }: TemplateSite,
  { kind, to, user, values }: DescribedNotice,
): TemplateValues {
  return {
    SiteURL: siteUrl,
    Email: kind === 'identity_unlinked_notification' ? to : (user.email ?? ''),
    OldEmail: values.oldEmail ?? '',
    Phone: user.phone ?? '',
    OldPhone: values.oldPhone ?? '',
    Provider: values.provider ?? '',
    FactorType: values.factorType ?? '',
    Data: user.raw_user_meta_data ?? {},
    SendingTo: to,
    ProjectName: projectName,
  }
}
