import forge from "node-forge";

const day = 24 * 3_600_000;

/** Creates a certificate authority, which only those with its certificate trust. */
export function authority() {
  const keys = forge.pki.rsa.generateKeyPair(2_048);
  const name = [{ shortName: "CN", value: "An authority of a test" }];
  const root = certificate(keys.publicKey, name, name);
  root.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
  ]);
  root.sign(keys.privateKey, forge.md.sha256.create());
  return {
    ca: forge.pki.certificateToPem(root),
    /** Returns the key and the certificate of a host, in PEM. */
    certify(hostname: string) {
      const own = forge.pki.rsa.generateKeyPair(2_048);
      const leaf = certificate(own.publicKey, [{ shortName: "CN", value: hostname }], name);
      // Type 2 is a DNS name (RFC 5280, GeneralName).
      leaf.setExtensions([{ name: "subjectAltName", altNames: [{ type: 2, value: hostname }] }]);
      leaf.sign(keys.privateKey, forge.md.sha256.create());
      return {
        key: forge.pki.privateKeyToPem(own.privateKey),
        cert: forge.pki.certificateToPem(leaf),
      };
    },
  };
}

function certificate(
  publicKey: forge.pki.PublicKey,
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
): forge.pki.Certificate {
  const made = forge.pki.createCertificate();
  made.publicKey = publicKey;
  made.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  made.validity.notBefore = new Date(Date.now() - day);
  made.validity.notAfter = new Date(Date.now() + day);
  made.setSubject(subject);
  made.setIssuer(issuer);
  return made;
}
