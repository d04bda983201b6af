import type { UserFactor, UserIdentity, UserRow } from './user-row.ts'

/** Renders auth-js's type `User`. As in GoTrue, unset times and changes that are not pending are omitted. */
export function renderUser(user: UserRow): Record<string, unknown> {
  return {
    id: user.id,
    aud: user.aud ?? '',
    role: user.role ?? '',
    email: user.email ?? '',
    ...timeOf('email_confirmed_at', user.email_confirmed_at),
    ...timeOf('invited_at', user.invited_at),
    phone: user.phone ?? '',
    ...timeOf('phone_confirmed_at', user.phone_confirmed_at),
    ...timeOf('confirmation_sent_at', user.confirmation_sent_at),
    ...timeOf('confirmed_at', user.confirmed_at),
    ...timeOf('recovery_sent_at', user.recovery_sent_at),
    ...textOf('new_email', user.email_change),
    ...timeOf('email_change_sent_at', user.email_change_sent_at),
    ...textOf('new_phone', user.phone_change),
    ...timeOf('phone_change_sent_at', user.phone_change_sent_at),
    ...timeOf('reauthentication_sent_at', user.reauthentication_sent_at),
    ...timeOf('last_sign_in_at', user.last_sign_in_at),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    ...(user.factors.length > 0 ? { factors: user.factors.map(renderFactor) } : {}),
    identities: user.identities.map(renderIdentity),
    ...timeOf('created_at', user.created_at),
    ...timeOf('updated_at', user.updated_at),
    ...timeOf('banned_until', user.banned_until),
    ...timeOf('deleted_at', user.deleted_at),
    is_anonymous: user.is_anonymous,
  }
}

/** Renders an identity. `identity_id` is the row's id and `id` the provider's id of the user, as historically named in auth-js. */
function renderIdentity(identity: UserIdentity): Record<string, unknown> {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    ...timeOf('last_sign_in_at', identity.last_sign_in_at),
    ...timeOf('created_at', identity.created_at),
    ...timeOf('updated_at', identity.updated_at),
    ...textOf('email', identity.email),
  }
}

function renderFactor(factor: UserFactor): Record<string, unknown> {
  return {
    id: factor.id,
    ...textOf('friendly_name', factor.friendly_name),
    factor_type: factor.factor_type,
    status: factor.status,
    ...timeOf('created_at', factor.created_at),
    ...timeOf('updated_at', factor.updated_at),
    ...textOf('phone', factor.phone),
    ...timeOf('last_challenged_at', factor.last_challenged_at),
  }
}

function timeOf(name: string, time: Date | string | null): Record<string, string> {
  return time === null ? {} : { [name]: new Date(time).toISOString() }
}

function textOf(name: string, text: string | null): Record<string, string> {
  return text === null || text === '' ? {} : { [name]: text }
}
