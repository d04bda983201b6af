export const secondFactorMessages = {
  title: 'Confirm it is you',
  detail: (email: string) => `${email} is protected by a second factor.`,
  detailNoEmail: 'This account is protected by a second factor.',
  factorName: (type: string, name: string | undefined): string => {
    const kind =
      ({ totp: 'Authenticator app', phone: 'Message to your phone', webauthn: 'Security key' } as const)[type] ?? type
    return name === undefined || name === '' ? kind : `${kind} · ${name}`
  },
  totpLabel: 'Code from your authenticator app',
  phoneLabel: 'Code from the message',
  sendMessage: 'Send me a code',
  resend: 'Send a new code',
  validFor: (time: string) => `The code is good for ${time}.`,
  tooLate: 'The code is too old. Send a new one.',
  useKey: 'Use your security key',
  keyDetail: 'Your browser asks for the key, or for this device’s fingerprint, face or PIN.',
  openNamed: (host: string) => `Open http://${host} instead`,
  another: 'Use another factor',
  noFactor: 'None of your factors can be used here',
  noFactorDetail: 'Ask your operator to take the second factor off your account.',
  offline: 'Your second factor is checked by the server. Until then nothing is sent or received.',
  openLocal: 'Open what is on this device',
  signOut: 'Sign in as somebody else',
  banner: 'Your second factor is needed before changes are sent and received.',
  bannerAction: 'Confirm it is you',
} as const
