import { inLanguages } from '../lib/texts.ts'

type FactorType = 'totp' | 'phone' | 'webauthn' | 'recovery_code'

export const secondFactorMessages = inLanguages('secondFactorMessages', {
  title: 'Confirm that it is you',
  detail: (email: string) => `${email} is protected by a second step.`,
  detailNoEmail: 'This account is protected by a second step.',
  factorName: (type: FactorType, name: string | undefined): string => {
    const kind = (
      {
        totp: 'Authenticator app',
        phone: 'Message to your phone',
        webauthn: 'Security key',
        recovery_code: 'Recovery code',
      } as const
    )[type]
    return name === undefined || name === '' ? kind : `${kind} · ${name}`
  },
  totpLabel: 'Code from your authenticator app',
  phoneLabel: 'Code from the message',
  sendMessage: 'Send me a code',
  resend: 'Send a new code',
  validFor: (time: string) => `The code is valid for ${time}.`,
  tooLate: 'The code is too old. Send a new one.',
  confirmWithKey: 'Use your security key',
  keyDetail: 'Your browser asks for the key, or for this device’s fingerprint, face or PIN.',
  openNamed: (host: string) => `Open http://${host} instead`,
  recoveryLabel: 'One of your recovery codes',
  recoveryHelp: 'Each of them works once. Hyphens and capitals do not matter.',
  recoveryMissing: 'Enter a recovery code',
  recoveryWrong: 'This code is wrong, or was used already',
  recoverySubmit: 'Continue',
  another: 'Use another way',
  noFactor: 'None of your second steps can be used here',
  noFactorDetail: 'Ask your operator to take the second step off your account.',
  offline: 'Your second step is checked by the server. Until then nothing is sent or received.',
  openLocal: 'Open the data on this device',
  signOut: 'Sign in as another person',
})
