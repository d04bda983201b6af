import type { OptionDeclarations } from '@holdfast/foundation'

/** Issuers whose access tokens REST and sync accept beside our own: `[auth.third_party.*]` of Supabase's `config.toml`. */
export const thirdPartyOptions = {
  thirdPartyFirebaseEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether tokens of a Firebase project are accepted.',
  },
  thirdPartyFirebaseProjectId: {
    type: 'string',
    description: 'The id of the Firebase project: its tokens name it as issuer and as audience.',
  },
  thirdPartyAuth0Enabled: {
    type: 'boolean',
    default: false,
    description: 'Whether tokens of an Auth0 tenant are accepted.',
  },
  thirdPartyAuth0Tenant: {
    type: 'string',
    description: 'The name of the Auth0 tenant.',
  },
  thirdPartyAuth0TenantRegion: {
    type: 'string',
    description: 'The region of the Auth0 tenant, such as `us`, where its address has one.',
  },
  thirdPartyAwsCognitoEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether tokens of a user pool of AWS Cognito are accepted.',
  },
  thirdPartyAwsCognitoUserPoolId: {
    type: 'string',
    description: 'The id of the user pool.',
  },
  thirdPartyAwsCognitoUserPoolRegion: {
    type: 'string',
    description: 'The region of the user pool, such as `us-east-1`.',
  },
  thirdPartyClerkEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether tokens of Clerk are accepted.',
  },
  thirdPartyClerkDomain: {
    type: 'string',
    description: 'The domain of the Clerk instance, such as `clerk.example.com` or `example.clerk.accounts.dev`.',
  },
  thirdPartyWorkosEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether tokens of WorkOS, or of any other OpenID issuer, are accepted.',
  },
  thirdPartyWorkosIssuerUrl: {
    type: 'string',
    description: 'The address of the issuer, under which it publishes `/.well-known/openid-configuration`.',
  },
  thirdPartyAudiences: {
    type: 'list',
    default: [],
    description:
      'The audiences (`aud`, or `client_id` of a Cognito access token) whose third-party tokens are accepted; an empty list accepts every one. Firebase tokens are always for the project.',
  },
} satisfies OptionDeclarations
