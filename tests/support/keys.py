"""Something shaped like a private key, for settings that are never used to sign."""

PEM = "-----BEGIN RSA PRIVATE KEY-----\nsecretkeybytes\n-----END RSA PRIVATE KEY-----\n"
