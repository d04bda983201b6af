import { flag, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Third-party issuers whose access tokens REST and sync accept: `[auth.third_party.*]` of Supabase's `config.toml`. */
export const thirdPartyOptions = {
  thirdPartyFirebaseEnabled: flag('Whether tokens of a Firebase project are accepted.', { default: false }),
  thirdPartyFirebaseProjectId: text('Firebase project id: issuer and audience of its tokens.'),
  thirdPartyAuth0Enabled: flag('Whether tokens of an Auth0 tenant are accepted.', { default: false }),
  thirdPartyAuth0Tenant: text('The name of the Auth0 tenant.'),
  thirdPartyAuth0TenantRegion: text('The region of the Auth0 tenant, such as `us`, where its address has one.'),
  thirdPartyAwsCognitoEnabled: flag('Whether tokens of an AWS Cognito user pool are accepted.', { default: false }),
  thirdPartyAwsCognitoUserPoolId: text('Id of the user pool.'),
  thirdPartyAwsCognitoUserPoolRegion: text('Region of the user pool, such as `us-east-1`.'),
  thirdPartyClerkEnabled: flag('Whether Clerk tokens are accepted.', { default: false }),
  thirdPartyClerkDomain: text(
    'Domain of the Clerk instance, such as `clerk.example.com` or `example.clerk.accounts.dev`.',
  ),
  thirdPartyWorkosEnabled: flag('Whether tokens of WorkOS, or of any other OpenID issuer, are accepted.', {
    default: false,
  }),
  thirdPartyWorkosIssuerUrl: text('Issuer URL, which serves `/.well-known/openid-configuration`.'),
  thirdPartyAudiences: list(
    'Accepted audiences (`aud`, or `client_id` of Cognito access tokens) of third-party tokens; empty accepts all. Firebase tokens are always checked for the project.',
    { default: [] },
  ),
} satisfies OptionDeclarations
