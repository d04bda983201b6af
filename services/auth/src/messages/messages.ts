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

/** An invitation to a workspace: names its template, and its action in the `send_email` hook. */
export type InvitationKind = 'workspace_invitation'

/** Every kind of mail that has a template. */
export type TemplateKind = MailKind | NoticeKind | InvitationKind

/** Purpose of a text message. */
export type SmsKind = 'confirmation' | 'recovery' | 'magic_link' | 'phone_change' | 'reauthentication' | 'mfa'

export interface OutgoingMail {
  readonly kind: MailKind
  readonly to: string
  readonly userId: string
  /** The code for people who type it. */
  readonly token: string
  /** Token hash in a link. The hook gets it for every kind; a reauthentication mail has no link. */
  readonly tokenHash: string | undefined
  /** Where the link leads after it was verified. */
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
  /** `sms` unless it says otherwise. */
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

/** A mail that asks somebody to join a workspace. They may have no account. */
export interface OutgoingInvitation {
  readonly to: string
  /** Where the button leads; carries the secret. */
  readonly link: string
  /** The part of the link that is secret. */
  readonly secret: string
  readonly workspace: string
  /** The inviter; `undefined` for a deleted account. */
  readonly inviter: string | undefined
  readonly team: string | undefined
  /** Message of the inviter. */
  readonly message: string | undefined
  readonly expiresAt: Date
}

/** A mail that others have written, of what is new for a person. */
export interface OutgoingDigest {
  readonly userId: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** Where the first link of the mail leads, for the hook. */
  readonly link: string
  /** Turns the mail off when it is posted to (RFC 8058). */
  readonly offUrl: string
}

/** Mails and text messages on their way to people. */
export interface Messages extends AsyncDisposable {
  /** Whether mails are kept, because nothing is set up that sends them. */
  readonly capturesMails: boolean
  /**
   * Hands a mail to the `send_email` hook, or writes it down in this transaction to be sent after it.
   *
   * @throws {HoldfastError} what the hook refuses with; never because there is no mail server
   */
  sendMail(tx: Transaction, mail: OutgoingMail): Promise<void>
  /** Writes a mail about a change of the account in its transaction, to be sent, or handed to the `send_email` hook, after it. */
  sendNotice(tx: Transaction, notice: OutgoingNotice): Promise<void>
  /** Writes down an invitation to a workspace, to be sent, or handed to the `send_email` hook, after the transaction. */
  sendInvitation(tx: Transaction, invitation: OutgoingInvitation): Promise<void>
  /** Writes down a mail of what is new for a person, to be sent, or handed to the `send_email` hook, after the transaction. */
  sendDigest(tx: Transaction, digest: OutgoingDigest): Promise<void>
  /** The same as {@link sendMail} for a text message and the `send_sms` hook. Numbers with a fixed test code get none. */
  sendSms(tx: Transaction, sms: OutgoingSms): Promise<void>
  /** The fixed code of a number that is for tests, or `undefined`. @param phone - digits only */
  testOtp(phone: string): string | undefined
  /**
   * Asks the service that makes the codes of text messages whether one is right; `undefined` if the codes are our own.
   *
   * @param phone - digits only; not a number for tests
   * @throws {HoldfastError} `unexpected_failure` if it cannot be asked
   */
  isApprovedElsewhere(phone: string, code: string): Promise<boolean> | undefined
  /** Resolves when everything that was written down before has been tried once. For tests and for an orderly end. */
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
