import { assert } from '@holdfast/foundation'
import { type ClaimRules, readClaims, readOidcClaims } from '../claims-profile.ts'
import { createProviderNetwork } from '../provider-network.ts'
import type { Discover, ExternalProvider, ProviderClient } from '../provider.ts'
import { requireRecord } from '../read-json.ts'
import type { CustomProviderRow } from './custom-provider-row.ts'

/** Creates a provider from an administrator's row. @param input.clientSecret - decrypted */
export function customProvider(input: {
  readonly row: CustomProviderRow
  readonly clientSecret: string
  readonly redirectUri: string
  readonly discover: Discover
}): ExternalProvider {
  const { row } = input
  const client: ProviderClient = {
    name: row.identifier,
    clientId: row.client_id,
    audiences: [row.client_id, ...row.acceptable_client_ids],
    clientSecret: input.clientSecret,
    redirectUri: input.redirectUri,
    emailOptional: row.email_optional,
    skipNonceCheck: row.skip_nonce_check,
  }
  const rules: ClaimRules = {
    attributeMapping: row.attribute_mapping,
    customClaimsAllowlist: row.custom_claims_allowlist,
  }
  const shared = {
    ...client,
    scopes: row.scopes,
    replacesScopes: true,
    parameters: Object.fromEntries(
      Object.entries(row.authorization_params).flatMap(([key, value]) =>
        typeof value === 'string' ? [[key, value]] : [],
      ),
    ),
    usesPkce: row.pkce_enabled,
    clientAuthentication: 'basic' as const,
  }
  return row.provider_type === 'oidc'
    ? { ...shared, ...openIdPart(row, rules, input.discover) }
    : { ...shared, ...oauth2Part(row, rules) }
}

type ProtocolPart = Pick<ExternalProvider, 'network' | 'readServer' | 'findIssuer' | 'readProfile'>

function openIdPart(row: CustomProviderRow, rules: ClaimRules, discover: Discover): ProtocolPart {
  const { issuer } = row
  assert(issuer !== null, 'the table asks for an issuer')
  const network = createProviderNetwork(issuer)
  const readServer = () => discover(network, issuer, row.discovery_url ?? undefined)
  return {
    network,
    readServer,
    async findIssuer(claimed) {
      if (claimed !== issuer) return undefined
      const { jwks_uri: jwksUri = '' } = await readServer()
      return { issuer, jwksUri }
    },
    async readProfile(grant) {
      return readClaims(await readOidcClaims({ server: await readServer(), network, grant }), rules)
    },
  }
}

function oauth2Part(row: CustomProviderRow, rules: ClaimRules): ProtocolPart {
  const { authorization_url: authorizationUrl, token_url: tokenUrl, userinfo_url: userinfoUrl } = row
  assert(
    authorizationUrl !== null && tokenUrl !== null && userinfoUrl !== null,
    'the table asks for the three addresses',
  )
  const network = createProviderNetwork(tokenUrl)
  return {
    network,
    readServer: async () => ({
      issuer: new URL(tokenUrl).origin,
      authorization_endpoint: authorizationUrl,
      token_endpoint: tokenUrl,
    }),
    async readProfile({ accessToken }) {
      return readClaims(requireRecord(await network.getJson(userinfoUrl, accessToken)), rules)
    },
  }
}
