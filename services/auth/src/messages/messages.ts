import type { Queryable, Transaction } from '@holdfast/postgres'
import type { UserRow } from '../users/user-row.ts'

/** Purpose of a mail; names its template. */
export type MailKind = 'confirmation' | 'recovery' | 'magic_link' | 'invite' | 'email_change' | 'reauthentication'

/** Subject of a security notification; names its template and its action in the `send_email` hook. */
export type NoticeKind =
  | 'password_changed_notification'
  | 'email_changed_notification'
  | 'phone_changed_notification'
  | 'identity_linked_notification'
  | 'identity_unlinked_notification'
  | 'mfa_factor_enrolled_notification'
  | 'mfa_factor_unenrolled_notification'

/** Invitation to a workspace; names its template and its action in the `send_email` hook. */
export type InvitationKind = 'workspace_invitation'

/** Every kind of mail that has a template. */
export type TemplateKind = MailKind | NoticeKind | InvitationKind

/** Purpose of a text message. */
export type SmsKind = 'confirmation' | 'recovery' | 'magic_link' | 'phone_change' | 'reauthentication' | 'mfa'

export interface OutgoingMail {
  readonly kind: MailKind
  readonly to: string
  readonly userId: string
  /** The code to be typed. */
  readonly token: string
  /** Token hash in a link. The hook gets it for every kind; a reauthentication mail has no link. */
  readonly tokenHash: string | undefined
  /** Redirect target after verification. */
  readonly redirectTo: string
  /** For an email change: the new address, and the token in its own mail (the other half of a double confirmation). */
  readonly newEmail?: string | undefined
  readonly tokenNew?: string | undefined
  readonly tokenHashNew?: string | undefined
  /** `user_metadata`, for templates. */
  readonly data: Readonly<Record<string, unknown>>
  /** Address of the requesting client, for the hook. */
  readonly address?: string | undefined
}

/** How a text message reaches a phone. */
export type SmsChannel = 'sms' | 'whatsapp'

export interface OutgoingSms {
  readonly kind: SmsKind
  /** Default: `sms`. */
  readonly channel?: SmsChannel | undefined
  /** Digits only. */
  readonly to: string
  readonly userId: string
  readonly code: string
  /** Address of the requesting client, for the hook. */
  readonly address?: string | undefined
}

/** Values of a notice beside the current account; empty if not applicable. */
export interface NoticeValues {
  readonly oldEmail?: string
  readonly oldPhone?: string
  readonly provider?: string
  readonly factorType?: string
}

export interface OutgoingNotice {
  readonly kind: NoticeKind
  readonly to: string
  /** After the change. */
  readonly user: UserRow
  readonly values: NoticeValues
}

/** A mail that invites a user, with or without an account, to a workspace. */
export interface OutgoingInvitation {
  readonly to: string
  /** The button's link, which contains the secret. */
  readonly link: string
  /** The secret part of the link. */
  readonly secret: string
  readonly workspace: string
  /** The inviter; `undefined` for a deleted account. */
  readonly inviter: string | undefined
  readonly team: string | undefined
  /** Message of the inviter. */
  readonly message: string | undefined
  readonly expiresAt: Date
}

/** A mail with a user's news, rendered by the caller. */
export interface OutgoingDigest {
  readonly userId: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** The mail's first link, for the hook. */
  readonly link: string
  /** A POST to this URL unsubscribes (RFC 8058). */
  readonly offUrl: string
}

/** A mail that an automation sends, rendered by the caller. */
export interface OutgoingAutomationMail {
  /** A mail with the id of another is not sent. */
  readonly id: string
  /** `undefined` for an address of no account. */
  readonly userId: string | undefined
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** The mail's link, for the hook. */
  readonly link: string
}

/** A rendered mail. */
export interface RenderedMail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** A mail template in force. */
export interface DescribedMail {
  readonly kind: TemplateKind
  /** Whether such mails are sent: notices have a switch. */
  readonly isEnabled: boolean
  /** Sources before values are filled in. */
  readonly subject: string
  readonly html: string
  readonly subjectOption: string
  readonly hasOwnSubject: boolean
  readonly contentOption: string
  /** Absolute path of the project's HTML file; `undefined` if the HTML is built in. */
  readonly file: string | undefined
  /** Renders the mail with sample values. */
  preview(): RenderedMail
}

/** Sends mails and text messages. */
export interface Messages extends AsyncDisposable {
  /** Whether mails are captured because no sender is configured. */
  readonly capturesMails: boolean
  /** The templates in force, for operators. */
  readonly templates: readonly DescribedMail[]
  /**
   * Passes a mail to the `send_email` hook, or queues it in this transaction.
   *
   * @throws {HoldfastError} the hook's refusal; never for a missing mail server
   */
  sendMail(tx: Transaction, mail: OutgoingMail): Promise<void>
  /** Queues a mail about an account change in the change's transaction. It is sent after the commit, or passed to the `send_email` hook. */
  sendNotice(tx: Transaction, notice: OutgoingNotice): Promise<void>
  /** Queues an invitation to a workspace. It is sent after the commit, or passed to the `send_email` hook. */
  sendInvitation(tx: Transaction, invitation: OutgoingInvitation): Promise<void>
  /** Queues a mail with a user's news. It is sent after the commit, or passed to the `send_email` hook. */
  sendDigest(tx: Transaction, digest: OutgoingDigest): Promise<void>
  /** Queues a mail of an automation. It is sent after the commit, or passed to the `send_email` hook. */
  sendAutomationMail(tx: Transaction, mail: OutgoingAutomationMail): Promise<void>
  /** Like {@link sendMail}, for a text message and the `send_sms` hook. Numbers with a fixed test code receive none. */
  sendSms(tx: Transaction, sms: OutgoingSms): Promise<void>
  /** Returns the fixed code of a test number. @param phone - digits only */
  testOtp(phone: string): string | undefined
  /**
   * Asks the external code service whether a code is correct. Returns `undefined` if this server creates the codes.
   *
   * @param phone - digits only; not a test number
   * @throws {HoldfastError} `unexpected_failure` if the service is unreachable
   */
  isApprovedElsewhere(phone: string, code: string): Promise<boolean> | undefined
  /** Resolves once every message queued before was tried. For tests and shutdown. */
  settled(): Promise<void>
}

/** A captured or sent message, newest first. */
export interface MessageRow {
  readonly id: string
  readonly channel: 'mail' | 'sms'
  readonly kind: string
  readonly user_id: string | null
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly body: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly status: 'captured' | 'queued' | 'sent' | 'failed'
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: Date
  readonly sent_at: Date | null
}

export type MessageReader = (
  db: Queryable,
  filter: { readonly recipient?: string; readonly limit: number },
) => Promise<MessageRow[]>
