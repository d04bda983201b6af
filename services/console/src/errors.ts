import { HoldfastError, refusal } from '@holdfast/foundation'

/** Errors of the console's API, rendered as `{code, message, hint?}`. */
export const notSignedIn = refusal('not_signed_in', 401, 'Sign in to the console first.')
export const secondFactorRequired = refusal('second_factor_required', 401, 'Enter the code of your authenticator app.')
export const wrongCredentials = refusal('wrong_credentials', 400, 'The email address or password is wrong.')
export const wrongCode = refusal('wrong_code', 400, 'The code is wrong or has been used. Wait for the next one.')
export const wrongPassword = refusal('wrong_password', 400, 'The current password is wrong.')
export const invitationInvalid = refusal(
  'invitation_invalid',
  410,
  'This link has expired or has been used. Ask for a new one.',
)
export const operatorExists = refusal('operator_exists', 409, 'This address already belongs to an operator.')
export const operatorUnknown = refusal('operator_unknown', 404, 'There is no such operator.')
export const lastOwner = refusal('last_owner', 409, 'The console needs an owner. Make somebody else an owner first.')
export const deviceUnknown = refusal(
  'device_unknown',
  404,
  'There is no such device, or it has not been seen for a month.',
)
export const deviceNotConnected = refusal(
  'device_not_connected',
  409,
  'The device is not connected to this server. Try again when it is.',
)
export const functionsOff = refusal('functions_off', 409, 'Edge functions are off on this server.')
export const functionUnknown = refusal('function_unknown', 404, 'There is no such function.')
export const jobUnknown = refusal('job_unknown', 404, 'There is no such job, or it belongs to another role.')
export const requestUnknown = refusal(
  'request_unknown',
  404,
  'There is no such request, or it has been sent in the meantime.',
)
export const queueUnknown = refusal('queue_unknown', 404, 'There is no such queue.')
export const messageUnknown = refusal('message_unknown', 404, 'There is no such message, or a consumer has deleted it.')
export const mailUnknown = refusal('mail_unknown', 404, 'There is no such captured mail.')
export const mailTemplateUnknown = refusal('mail_template_unknown', 404, 'There is no such mail template.')
export const migrationUnknown = refusal(
  'migration_unknown',
  404,
  'There is no such migration, or it has been applied in the meantime.',
)
export const keyUnknown = refusal('key_unknown', 404, 'There is no such API key.')
export const noSuchRoute = refusal('no_such_route', 404, 'The console has no such path.')

export const sqlTimeout = refusal(
  'sql_timeout',
  408,
  'The statements took too long and were cancelled. Raise the time limit to run them.',
)
export const sqlCancelled = refusal('sql_cancelled', 499, 'The statements were cancelled.')

export const queryUnknown = refusal('query_unknown', 404, 'There is no such query, or it is private.')
export const notYourQuery = refusal(
  'not_your_query',
  403,
  'Only its author can change this query. Save a copy under another name.',
)
export const tooManyQueries = refusal(
  'too_many_queries',
  409,
  'You have saved as many queries as the console keeps. Delete one first.',
)

export const noSuchTable = refusal('no_such_table', 404, 'There is no such table, or the console does not show it.')

export const changeHidden = refusal(
  'change_hidden',
  422,
  'The row was not changed: this identity sees it, but no policy lets it make this change.',
)

export const planChanged = refusal(
  'plan_changed',
  409,
  'The statements are not those of this change. Look at them again.',
)

export const storageOff = refusal(
  'storage_off',
  409,
  'File storage is off. Switch the option storageEnabled on to use it.',
)
export const realtimeOff = refusal(
  'realtime_off',
  409,
  'Channels are off. Switch the option realtimeEnabled on to use them.',
)
export const noSuchBucket = refusal('no_such_bucket', 404, 'There is no such bucket.')
/** @param filesMax - that are deleted at once */
export function folderTooLarge(filesMax: number): HoldfastError {
  return new HoldfastError(
    'folder_too_large',
    409,
    `The folder has more than ${filesMax} files. Delete its folders one by one, or empty the bucket.`,
  )
}
export const noSuchFile = refusal('no_such_file', 404, 'There is no such file. It may have been moved or deleted.')
export const previewBusy = refusal(
  'busy',
  429,
  'Another preview is running, and one at a time may hold locks. Try again in a moment.',
)
export const previewTimeout = refusal(
  'preview_timeout',
  408,
  'The SQL took too long and was rolled back. Preview it on a copy of the database.',
)

export function tableReadOnly(reason: string): HoldfastError {
  return new HoldfastError('table_read_only', 422, reason)
}

/** A statement that Postgres refused, in its words. */
export function queryRefused(error: Error): HoldfastError {
  const { detail, hint } = error as Error & Partial<Record<'detail' | 'hint', string>>
  const text = [error.message, detail, hint].filter((part) => part !== undefined && part !== '')
  return new HoldfastError('query_refused', 422, text.map((part) => (part ?? '').replace(/[^.!?]$/, '$&.')).join(' '), {
    cause: error,
  })
}

/**
 * @param advice - appended to the message
 * @param hint - SQL to run
 */
export function rowsTimeout(
  timeoutMs: number,
  {
    advice = '',
    ...extras
  }: { readonly advice?: string; readonly hint?: string | undefined; readonly cause?: unknown } = {},
): HoldfastError {
  const message = `This took longer than ${timeoutMs / 1_000} s and was cancelled.${advice}`
  return new HoldfastError('rows_timeout', 408, message, extras)
}

/** @param needed - role that the path requires */
export function roleTooLow(needed: string): HoldfastError {
  return new HoldfastError('role_too_low', 403, `This needs the role ${needed}. An owner can change your role.`)
}

export function invalidRequest(message: string): HoldfastError {
  return new HoldfastError('invalid_request', 400, message)
}

/** @param minimum - characters */
export function weakPassword(minimum: number): HoldfastError {
  return new HoldfastError(
    'weak_password',
    422,
    `Use at least ${minimum} characters. Three random words are a good start.`,
  )
}
