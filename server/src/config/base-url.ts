import { certifiedHost, type TlsFiles } from '@holdfast/http'
import { HoldfastError } from '@holdfast/foundation'
import type { Config } from './options.ts'

type Place = Pick<Config, 'externalUrl' | 'host' | 'tlsCertFile' | 'tlsKeyFile'>

/**
 * Returns the server's URL without trailing slash: the configured one, otherwise from its certificate, otherwise from its listening address.
 *
 * @param port - the listening port
 * @throws {HoldfastError} errors of `certifiedHost`
 */
export function baseUrlOf({ externalUrl, host, tlsCertFile }: Place, port: number): string {
  if (externalUrl !== undefined) return externalUrl.replace(/\/+$/, '')
  if (tlsCertFile === undefined) return `http://${urlHost(host)}:${port}`
  const name = certifiedHost(tlsCertFile, host) ?? host
  return `https://${urlHost(name)}${port === 443 ? '' : `:${port}`}`
}

/** @throws {HoldfastError} `option_invalid` if only one of the two files is set */
export function tlsFilesOf({ tlsCertFile, tlsKeyFile }: Place): TlsFiles | undefined {
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) return { certFile: tlsCertFile, keyFile: tlsKeyFile }
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined
  const [given, missing] =
    tlsCertFile === undefined ? ['--tls-key-file', '--tls-cert-file'] : ['--tls-cert-file', '--tls-key-file']
  throw new HoldfastError('option_invalid', 500, `${given} needs ${missing}.`, {
    hint: 'TLS needs the certificate and its private key.',
  })
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
