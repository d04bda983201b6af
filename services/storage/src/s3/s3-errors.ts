import { HoldfastError } from '@holdfast/foundation'

// Codes and statuses of Amazon S3, which its SDKs pass on.

const refusal =
  (code: string, status: number, message: string) =>
  (cause?: unknown): HoldfastError =>
    new HoldfastError(code, status, message, { cause })

export const signatureMissing = refusal('AccessDenied', 403, 'The request is not signed')

export const signatureMalformed = (what: string): HoldfastError =>
  new HoldfastError('AuthorizationHeaderMalformed', 400, `The signature of the request is malformed: ${what}`)

export const signatureMismatch = refusal(
  'SignatureDoesNotMatch',
  403,
  'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
)

export const unknownAccessKey = refusal(
  'InvalidAccessKeyId',
  403,
  'The access key ID you provided does not exist in our records.',
)

export const clockSkewed = refusal(
  'RequestTimeTooSkewed',
  403,
  'The difference between the request time and the server’s time is too large.',
)

export const signatureExpired = refusal('AccessDenied', 403, 'Request has expired')

export const headersNotSigned = (names: readonly string[]): HoldfastError =>
  new HoldfastError(
    'AccessDenied',
    403,
    `There were headers present in the request which were not signed: ${names.join(', ')}`,
  )

export const policyRefused = (reason: string): HoldfastError =>
  new HoldfastError('AccessDenied', 403, `Invalid according to Policy: ${reason}`)

export const policyMalformed = (reason: string, cause?: unknown): HoldfastError =>
  new HoldfastError('InvalidPolicyDocument', 400, `Invalid Policy: ${reason}`, { cause })

export const contentHashMismatch = refusal(
  'XAmzContentSHA256Mismatch',
  400,
  "The provided 'x-amz-content-sha256' header does not match what was computed.",
)

export const badDigest = (what: string): HoldfastError =>
  new HoldfastError('BadDigest', 400, `The ${what} you specified did not match what we received.`)

export const invalidDigest = (what: string): HoldfastError =>
  new HoldfastError('InvalidDigest', 400, `The ${what} you specified is not valid.`)

export const incompleteBody = refusal(
  'IncompleteBody',
  400,
  'You did not provide the number of bytes specified by the Content-Length HTTP header.',
)

export const chunkMalformed = (reason: string): HoldfastError =>
  new HoldfastError('InvalidRequest', 400, `The chunks of the body are malformed: ${reason}`)

export const trailerMalformed = refusal(
  'MalformedTrailerError',
  400,
  'The request contained trailing data that was not well-formed or did not conform to our published schema.',
)

export const missingLength = refusal('MissingContentLength', 411, 'You must provide the Content-Length HTTP header.')

export const malformedXml = refusal(
  'MalformedXML',
  400,
  'The XML you provided was not well-formed or did not validate against our published schema.',
)

export const invalidArgument = (message: string): HoldfastError => new HoldfastError('InvalidArgument', 400, message)

export const notImplemented = (what: string): HoldfastError =>
  new HoldfastError('NotImplemented', 501, `${what} is not implemented here.`)

export const methodNotAllowed = refusal(
  'MethodNotAllowed',
  405,
  'The specified method is not allowed against this resource.',
)

export const preconditionFailed = refusal(
  'PreconditionFailed',
  412,
  'At least one of the pre-conditions you specified did not hold',
)

export const noSuchUpload = refusal(
  'NoSuchUpload',
  404,
  'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
)

export const invalidPart = (number: number): HoldfastError =>
  new HoldfastError(
    'InvalidPart',
    400,
    `Part ${number} could not be found. It may not have been uploaded, or its entity tag does not match.`,
  )

export const invalidPartOrder = refusal(
  'InvalidPartOrder',
  400,
  'The list of parts was not in ascending order. The parts list must be specified in order by part number.',
)

export const partTooSmall = (number: number): HoldfastError =>
  new HoldfastError('EntityTooSmall', 400, `Part ${number} is smaller than the minimum allowed size`)
