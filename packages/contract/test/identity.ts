import forge from "node-forge";

const day = 24 * 3_600_000;

/** Makes a self-signed certificate of a host, in PEM. */
export function selfSigned(hostname: string): { readonly key: string; readonly cert: string } {
  const keys = forge.pki.rsa.generateKeyPair(2_048);
  const certificate = forge.pki.createCertificate();
  const name = [{ shortName: "CN", value: hostname }];
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = "01";
  certificate.validity.notBefore = new Date(Date.now() - day);
  certificate.validity.notAfter = new Date(Date.now() + day);
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return {
    key: forge.pki.privateKeyToPem(keys.privateKey),
    cert: forge.pki.certificateToPem(certificate),
  };
}
