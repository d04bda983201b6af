import { flag, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Third-party issuers whose access tokens REST and sync accept: `[auth.third_party.*]` of Supabase's `config.toml`. */
export const thirdPartyOptions = {
  thirdPartyFirebaseEnabled: flag('Whether tokens of a Firebase project are accepted.', { default: false }),
  thirdPartyFirebaseProjectId: text('The id of the Firebase project: its tokens name it as issuer and as audience.'),
  thirdPartyAuth0Enabled: flag('Whether tokens of an Auth0 tenant are accepted.', { default: false }),
  thirdPartyAuth0Tenant: text('The name of the Auth0 tenant.'),
  thirdPartyAuth0TenantRegion: text('The region of the Auth0 tenant, such as `us`, where its address has one.'),
  thirdPartyAwsCognitoEnabled: flag('Whether tokens of a user pool of AWS Cognito are accepted.', { default: false }),
  thirdPartyAwsCognitoUserPoolId: text('The id of the user pool.'),
  thirdPartyAwsCognitoUserPoolRegion: text('The region of the user pool, such as `us-east-1`.'),
  thirdPartyClerkEnabled: flag('Whether tokens of Clerk are accepted.', { default: false }),
  thirdPartyClerkDomain: text(
    'The domain of the Clerk instance, such as `clerk.example.com` or `example.clerk.accounts.dev`.',
  ),
  thirdPartyWorkosEnabled: flag('Whether tokens of WorkOS, or of any other OpenID issuer, are accepted.', {
    default: false,
  }),
  thirdPartyWorkosIssuerUrl: text(
    'The address of the issuer, under which it publishes `/.well-known/openid-configuration`.',
  ),
  thirdPartyAudiences: list(
    'The audiences (`aud`, or `client_id` of a Cognito access token) whose third-party tokens are accepted; an empty list accepts every one. Firebase tokens are always for the project.',
    { default: [] },
  ),
} satisfies OptionDeclarations
