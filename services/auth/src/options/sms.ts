import type { OptionDeclarations } from '@holdfast/foundation'

/** Text messages, and signing in by them. */
export const smsOptions = {
  smsEnableSignup: {
    type: 'boolean',
    default: false,
    description: 'Whether people may sign up and in with a phone number.',
  },
  smsEnableConfirmations: {
    type: 'boolean',
    default: false,
    description: 'Whether a new phone number has to be confirmed by a text message before it counts.',
  },
  smsMaxFrequency: {
    type: 'integer',
    default: 5,
    min: 0,
    max: 86400,
    description: 'The least time between two text messages to one person, in seconds.',
  },
  smsOtpLength: {
    type: 'integer',
    default: 6,
    min: 6,
    max: 10,
    description: 'The digits of a code in a text message.',
  },
  smsOtpExpiry: {
    type: 'integer',
    default: 60,
    min: 30,
    max: 86400,
    description: 'How long a code in a text message is good for, in seconds.',
  },
  smsTemplate: {
    type: 'string',
    default: 'Your code is {{ .Code }}',
    description: 'The text of a message.',
  },
  smsTestOtp: {
    type: 'list',
    default: [],
    description: 'Numbers that get no message and always the same code, as `4152127777=123456`.',
  },
  smsTwilioAccountSid: {
    type: 'string',
    description: 'The account at Twilio. Without one, messages are kept with the captured mails.',
  },
  smsTwilioAuthToken: {
    type: 'string',
    secret: true,
    description: 'The secret of the account at Twilio.',
  },
  smsTwilioMessageServiceSid: {
    type: 'string',
    description: 'The messaging service at Twilio, or the number that messages come from.',
  },
  smsTwilioContentSid: {
    type: 'string',
    description: 'The approved template at Twilio for codes over WhatsApp (`HX…`); its variable `1` is the code.',
  },
  smsTwilioUrl: {
    type: 'string',
    default: 'https://api.twilio.com',
    description: "The address of Twilio's API.",
  },
  smsTwilioVerifyAccountSid: {
    type: 'string',
    description:
      'The account at Twilio if Twilio Verify makes, sends and checks the codes, instead of `smsTwilioAccountSid`.',
  },
  smsTwilioVerifyAuthToken: {
    type: 'string',
    secret: true,
    description: 'The secret of the account at Twilio, for Twilio Verify.',
  },
  smsTwilioVerifyMessageServiceSid: {
    type: 'string',
    description: 'The service of Twilio Verify (`VA…`).',
  },
  smsTwilioVerifyUrl: {
    type: 'string',
    default: 'https://verify.twilio.com',
    description: 'The address of the API of Twilio Verify.',
  },
} satisfies OptionDeclarations
