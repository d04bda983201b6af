import { optionInvalid } from '../errors.ts'

/** Target of a hook: a database function or a service. */
export type HookTarget =
  | { readonly kind: 'postgres'; readonly uri: string; readonly schema: string; readonly function: string }
  | { readonly kind: 'http'; readonly uri: string; readonly secrets: readonly Buffer[] }

const POSTGRES_NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,62}$/

/** A symmetric key of Standard Webhooks: 32 to 88 characters of base64, as in GoTrue. */
const SECRET = /^v1,whsec_([A-Za-z0-9+/]{30,88}={0,2})$/

/** Hosts allowed without TLS because they are on this machine, as in GoTrue. */
const PLAIN_HTTP_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', 'host.docker.internal'])

/**
 * Parses the settings of one hook.
 *
 * @param input.option - name of the address setting, for error messages
 * @param input.secrets - `v1,whsec_` and base64, separated by `|`; for HTTP only
 * @throws {HoldfastError} `option_invalid`
 */
export function parseHookTarget(input: {
  readonly option: string
  readonly uri: string
  readonly secrets: string | undefined
}): HookTarget {
  const { option, uri } = input
  const url = URL.parse(uri)
  if (url?.protocol === 'pg-functions:') {
    const [, schema = '', name = '', ...rest] = url.pathname.split('/')
    if (!POSTGRES_NAME.test(schema) || !POSTGRES_NAME.test(name) || rest.length > 0) {
      throw optionInvalid(option, `${uri} does not read pg-functions://postgres/<schema>/<function>.`)
    }
    return { kind: 'postgres', uri, schema, function: name }
  }
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw optionInvalid(option, `${uri} is neither a pg-functions: nor an https: address.`)
  }
  if (url.protocol === 'http:' && !PLAIN_HTTP_HOSTS.has(url.hostname)) {
    throw optionInvalid(option, 'http: is for this machine only (localhost, 127.0.0.1, ::1); use https:.')
  }
  const secretsOption = option.replace(/Uri$/, 'Secrets')
  const secrets = (input.secrets ?? '').split('|').filter((secret) => secret !== '')
  if (secrets.length === 0) throw optionInvalid(secretsOption, 'a hook over HTTP needs a secret: v1,whsec_<base64>.')
  return { kind: 'http', uri, secrets: secrets.map((secret) => parseSecret(secretsOption, secret)) }
}

function parseSecret(option: string, secret: string): Buffer {
  const base64 = SECRET.exec(secret)?.[1]
  if (base64 === undefined)
    throw optionInvalid(option, 'a secret reads v1,whsec_<base64>, with 32 to 88 characters of base64.')
  return Buffer.from(base64, 'base64')
}
