import { type AuthClient, PASSWORD } from './auth-world.ts'

const ID = '5f0e1d2c-3b4a-4958-8776-655443322110'
const EMAIL = 'ada@example.org'

/** What an authenticator answers, as far as the client reads it before it asks the server. */
const CREDENTIAL = {
  id: 'AAAA',
  rawId: new Uint8Array(3).buffer,
  type: 'public-key',
  response: {
    clientDataJSON: new Uint8Array(3).buffer,
    attestationObject: new Uint8Array(3).buffer,
    authenticatorData: new Uint8Array(3).buffer,
    signature: new Uint8Array(3).buffer,
    userHandle: null,
  },
  getClientExtensionResults: () => ({}),
}

type Auth = AuthClient['auth']

/** A call of every method that asks the server and that runs without a browser. */
export const OFFLINE_CALLS: Readonly<Record<string, (auth: Auth) => Promise<{ readonly error: unknown }>>> = {
  'auth.signUp': (auth) => auth.signUp({ email: EMAIL, password: PASSWORD }),
  'auth.signInAnonymously': (auth) => auth.signInAnonymously(),
  'auth.signInWithPassword': (auth) => auth.signInWithPassword({ email: EMAIL, password: PASSWORD }),
  'auth.signInWithOtp': (auth) => auth.signInWithOtp({ email: EMAIL }),
  'auth.signInWithIdToken': (auth) => auth.signInWithIdToken({ provider: 'google', token: 'a.b.c' }),
  'auth.signInWithSSO': (auth) => auth.signInWithSSO({ domain: 'example.org' }),
  'auth.signInWithWeb3': (auth) => auth.signInWithWeb3({ chain: 'ethereum', message: 'hello', signature: '0x00' }),
  'auth.verifyOtp': (auth) => auth.verifyOtp({ email: EMAIL, token: '123456', type: 'email' }),
  'auth.exchangeCodeForSession': (auth) => auth.exchangeCodeForSession(ID),
  'auth.resend': (auth) => auth.resend({ type: 'signup', email: EMAIL }),
  'auth.resetPasswordForEmail': (auth) => auth.resetPasswordForEmail(EMAIL),
  'auth.reauthenticate': (auth) => auth.reauthenticate(),
  'auth.getUser': (auth) => auth.getUser(),
  'auth.updateUser': (auth) => auth.updateUser({ data: { name: 'Ada' } }),
  'auth.getUserIdentities': (auth) => auth.getUserIdentities(),
  'auth.linkIdentity': (auth) => auth.linkIdentity({ provider: 'google' }),
  'auth.unlinkIdentity': (auth) =>
    auth.unlinkIdentity({ id: ID, user_id: ID, identity_id: ID, provider: 'google', identity_data: {} }),
  'auth.getClaims': (auth) => auth.getClaims(),
  'auth.mfa.enroll': (auth) => auth.mfa.enroll({ factorType: 'totp' }),
  'auth.mfa.challenge': (auth) => auth.mfa.challenge({ factorId: ID }),
  'auth.mfa.verify': (auth) => auth.mfa.verify({ factorId: ID, challengeId: ID, code: '123456' }),
  'auth.mfa.challengeAndVerify': (auth) => auth.mfa.challengeAndVerify({ factorId: ID, code: '123456' }),
  'auth.mfa.unenroll': (auth) => auth.mfa.unenroll({ factorId: ID }),
  'auth.mfa.listFactors': (auth) => auth.mfa.listFactors(),
  'auth.mfa.webauthn.enroll': (auth) => auth.mfa.webauthn.enroll({ friendlyName: 'key' }),
  'auth.mfa.webauthn.challenge': (auth) =>
    auth.mfa.webauthn.challenge({ factorId: ID, webauthn: { rpId: 'localhost', rpOrigins: ['http://localhost'] } }),
  'auth.mfa.webauthn.verify': (auth) =>
    auth.mfa.webauthn.verify({
      factorId: ID,
      challengeId: ID,
      webauthn: {
        type: 'request',
        rpId: 'localhost',
        rpOrigins: ['http://localhost'],
        credential_response: CREDENTIAL,
      },
    } as never),
  'auth.mfa.recoveryCodes.getStatus': (auth) => auth.mfa.recoveryCodes.getStatus(),
  'auth.mfa.recoveryCodes.generate': (auth) => auth.mfa.recoveryCodes.generate(),
  'auth.mfa.recoveryCodes.verify': (auth) => auth.mfa.recoveryCodes.verify({ code: 'abcd-efgh' } as never),
  'auth.mfa.recoveryCodes.regenerate': (auth) => auth.mfa.recoveryCodes.regenerate(),
  'auth.mfa.recoveryCodes.unenroll': (auth) => auth.mfa.recoveryCodes.unenroll(),
  'auth.passkey.list': (auth) => auth.passkey.list(),
  'auth.passkey.update': (auth) => auth.passkey.update({ passkeyId: ID, friendlyName: 'key' }),
  'auth.passkey.delete': (auth) => auth.passkey.delete({ passkeyId: ID }),
  'auth.passkey.startRegistration': (auth) => auth.passkey.startRegistration(),
  'auth.passkey.startAuthentication': (auth) => auth.passkey.startAuthentication(),
  'auth.passkey.verifyRegistration': (auth) =>
    auth.passkey.verifyRegistration({ challengeId: ID, credential: CREDENTIAL } as never),
  'auth.passkey.verifyAuthentication': (auth) =>
    auth.passkey.verifyAuthentication({ challengeId: ID, credential: CREDENTIAL } as never),
  'auth.oauth.getAuthorizationDetails': (auth) => auth.oauth.getAuthorizationDetails(ID),
  'auth.oauth.approveAuthorization': (auth) => auth.oauth.approveAuthorization(ID),
  'auth.oauth.denyAuthorization': (auth) => auth.oauth.denyAuthorization(ID),
  'auth.oauth.listGrants': (auth) => auth.oauth.listGrants(),
  'auth.oauth.revokeGrant': (auth) => auth.oauth.revokeGrant({ clientId: ID }),
  'auth.admin.signOut': (auth) => auth.admin.signOut('a.b.c'),
  'auth.admin.inviteUserByEmail': (auth) => auth.admin.inviteUserByEmail(EMAIL),
  'auth.admin.generateLink': (auth) => auth.admin.generateLink({ type: 'magiclink', email: EMAIL }),
  'auth.admin.createUser': (auth) => auth.admin.createUser({ email: EMAIL }),
  'auth.admin.listUsers': (auth) => auth.admin.listUsers(),
  'auth.admin.getUserById': (auth) => auth.admin.getUserById(ID),
  'auth.admin.updateUserById': (auth) => auth.admin.updateUserById(ID, {}),
  'auth.admin.deleteUser': (auth) => auth.admin.deleteUser(ID),
  'auth.admin.mfa.listFactors': (auth) => auth.admin.mfa.listFactors({ userId: ID }),
  'auth.admin.mfa.deleteFactor': (auth) => auth.admin.mfa.deleteFactor({ id: ID, userId: ID }),
  'auth.admin.oauth.listClients': (auth) => auth.admin.oauth.listClients(),
  'auth.admin.oauth.createClient': (auth) =>
    auth.admin.oauth.createClient({ client_name: 'app', redirect_uris: ['https://app.example.org'] }),
  'auth.admin.oauth.getClient': (auth) => auth.admin.oauth.getClient(ID),
  'auth.admin.oauth.updateClient': (auth) => auth.admin.oauth.updateClient(ID, { client_name: 'app' }),
  'auth.admin.oauth.deleteClient': (auth) => auth.admin.oauth.deleteClient(ID),
  'auth.admin.oauth.regenerateClientSecret': (auth) => auth.admin.oauth.regenerateClientSecret(ID),
  'auth.admin.customProviders.listProviders': (auth) => auth.admin.customProviders.listProviders(),
  'auth.admin.customProviders.createProvider': (auth) => auth.admin.customProviders.createProvider({} as never),
  'auth.admin.customProviders.getProvider': (auth) => auth.admin.customProviders.getProvider('custom:corp'),
  'auth.admin.customProviders.updateProvider': (auth) => auth.admin.customProviders.updateProvider('custom:corp', {}),
  'auth.admin.customProviders.deleteProvider': (auth) => auth.admin.customProviders.deleteProvider('custom:corp'),
  'auth.admin.passkey.listPasskeys': (auth) => auth.admin.passkey.listPasskeys({ userId: ID }),
  'auth.admin.passkey.deletePasskey': (auth) => auth.admin.passkey.deletePasskey({ userId: ID, passkeyId: ID }),
}
