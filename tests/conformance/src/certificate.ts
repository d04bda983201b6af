// The library of certificates injects its parts by it.
import 'reflect-metadata'
import { webcrypto, X509Certificate as Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import type { TlsFiles } from '@holdfast/http'

x509.cryptoProvider.set(webcrypto as Crypto)

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1_000

export interface CertificateOptions {
  /** Domain names and addresses that it is for. */
  readonly names: readonly string[]
  readonly days?: number
}

/** Signs for itself, so that it is also the root that a client has to trust. */
export async function createCertificate({ names, days = 90 }: CertificateOptions): Promise<{
  readonly cert: string
  readonly key: string
  readonly serialNumber: string
}> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Holdfast test',
    notBefore: new Date(Date.now() - 100 * DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    keys: keys as CryptoKeyPair,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  })
  const cert = certificate.toString('pem')
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  return { cert, key, serialNumber: new Certificate(cert).serialNumber }
}

/** Writes a new certificate into a folder. @returns where, and its serial number */
export async function writeCertificate(
  folder: string,
  options: CertificateOptions,
): Promise<TlsFiles & { readonly serialNumber: string }> {
  const { cert, key, serialNumber } = await createCertificate(options)
  const files = { certFile: join(folder, 'fullchain.pem'), keyFile: join(folder, 'privkey.pem') }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return { ...files, serialNumber }
}
