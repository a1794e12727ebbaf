export default function Root() {
  return (
    <html lang="en">
      <body>Shop</body>
    </html>
  );
}
