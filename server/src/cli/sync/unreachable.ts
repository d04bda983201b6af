import { errorMessage, HoldfastError } from '@holdfast/foundation'

/** Codes of OpenSSL and Node for a certificate that is not accepted. @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_CODES =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** Explains why a server was not reached, from the error that `fetch` failed with. */
export function explainUnreachable(url: string, error: unknown): HoldfastError {
  const cause = (error as Error).cause ?? error
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  const { origin, hostname } = new URL(url)
  const details = { detail: errorMessage(cause), cause: error }
  if (CERTIFICATE_CODES.test(code))
    return new HoldfastError('certificate_refused', 500, `${origin} answers with a certificate that is not trusted.`, {
      ...details,
      hint: 'Name the certificate, or that of its authority, in NODE_EXTRA_CA_CERTS; or run the command where the server runs, with its --data-dir.',
    })
  const hint =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `No machine is known as ${hostname}: check --url.`
      : code.startsWith('ERR_SSL_') || code === 'EPROTO'
        ? 'What listens there does not speak TLS: try http:// with --url.'
        : code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
          ? 'What listens there closed the connection: check --url, and whether it begins with http:// or https://.'
          : 'Start Holdfast first, or tell its address with --url.'
  return new HoldfastError('server_unreachable', 500, `There is no answer from ${origin}.`, { ...details, hint })
}
