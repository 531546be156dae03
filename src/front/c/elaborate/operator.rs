//! Operators and conversions (C11 6.3, 6.5).

use super::super::clean::SAME_AS_CONDITION;
use super::super::typed::{
    BinaryOp, Comparison, Expr, ExprKind, Lvalue, LvalueKind, ModifyOp, VariableId,
};
use super::super::types::Type;
use super::constant::is_null_pointer_constant;
use super::expression::{Operand, address};
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Elaborator<'a> {
    pub(super) fn unary(
        &mut self,
        unary: &'a ast::UnaryOperatorExpression,
        span: Span,
    ) -> Result<Operand> {
        use ast::UnaryOperator as U;
        match unary.operator.node {
            U::Address => self.address_of(&unary.operand, span).map(Operand::Value),
            U::Indirection => match self.operand(&unary.operand)? {
                // `*f` for a function is `f`.
                Operand::Function(function, _) => Ok(Operand::Function(function, span)),
                operand => {
                    let pointer = self.value(operand)?;
                    if pointer.ty.function().is_some() {
                        return Ok(Operand::Value(Expr { span, ..pointer }));
                    }
                    self.dereference(pointer, span).map(Operand::Lvalue)
                }
            },
            U::PostIncrement => self.step(&unary.operand, false, true, span),
            U::PostDecrement => self.step(&unary.operand, true, true, span),
            U::PreIncrement => self.step(&unary.operand, false, false, span),
            U::PreDecrement => self.step(&unary.operand, true, false, span),
            U::Negate => {
                let operand = self.scalar(&unary.operand)?;
                Ok(value(Type::INT, span, ExprKind::Not(Box::new(operand))))
            }
            U::Plus | U::Minus | U::Complement => {
                let operand = self.integer(&unary.operand)?;
                let ty = self.types.promote(&operand.ty);
                let operand = self.convert(operand, &ty, span)?;
                Ok(match unary.operator.node {
                    U::Plus => Operand::Value(operand),
                    U::Minus => {
                        let negated = ExprKind::Negate(Box::new(operand));
                        self.folded(ty, span, negated)
                    }
                    _ => value(ty, span, ExprKind::Complement(Box::new(operand))),
                })
            }
        }
    }

    /// Small negative numbers as numbers, so that messages and tables show them.
    fn folded(&mut self, ty: Type, span: Span, kind: ExprKind) -> Operand {
        let expr = Expr { ty, span, kind };
        match self.evaluate(&expr) {
            Some(number) => value(expr.ty, span, ExprKind::Int(number)),
            None => Operand::Value(expr),
        }
    }

    pub(super) fn address_of(
        &mut self,
        node: &'a Node<ast::Expression>,
        span: Span,
    ) -> Result<Expr> {
        match self.operand(node)? {
            Operand::Function(function, _) => Ok(self.function_address(function, span)),
            Operand::Lvalue(lvalue) => {
                if let LvalueKind::Member(_, record, field) = lvalue.kind {
                    let fields = self.types.record(record).fields.as_deref().unwrap_or(&[]);
                    if fields[field].bits.is_some() {
                        return Err(self.error(span, "a bit-field has no address"));
                    }
                }
                self.mark_address_taken(&lvalue);
                let ty = Type::pointer_to(lvalue.ty.clone());
                Ok(address(lvalue, ty, span))
            }
            Operand::Value(_) => Err(self.error(span, "this value has no address")),
        }
    }

    /// `&x` as an argument that is only used to write to `x`: its address stays unknown to
    /// the rest of the program.
    pub(super) fn output_argument(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        if let ast::Expression::UnaryOperator(unary) = &node.node
            && unary.node.operator.node == ast::UnaryOperator::Address
        {
            let span = self.span(node.span);
            if let Operand::Lvalue(lvalue) = self.operand(&unary.node.operand)? {
                let ty = Type::pointer_to(lvalue.ty.clone());
                return Ok(address(lvalue, ty, span));
            }
        }
        self.expr(node)
    }

    pub(super) fn mark_address_taken(&mut self, lvalue: &Lvalue) {
        match &lvalue.kind {
            LvalueKind::Variable(VariableId::Local(local)) => {
                self.current.locals[local.index()].address_taken = true;
            }
            LvalueKind::Member(inner, ..) => self.mark_address_taken(inner),
            LvalueKind::Temporary(local, _) => {
                self.current.locals[local.index()].address_taken = true;
            }
            // An element of an array that is accessed by index.
            LvalueKind::Deref(pointer) => self.mark_base(pointer),
            _ => {}
        }
    }

    fn mark_base(&mut self, pointer: &Expr) {
        match &pointer.kind {
            ExprKind::AddressOf(inner) => self.mark_address_taken(inner),
            ExprKind::PointerAdd { pointer, .. } => self.mark_base(pointer),
            _ => {}
        }
    }

    fn step(
        &mut self,
        node: &'a Node<ast::Expression>,
        subtract: bool,
        postfix: bool,
        span: Span,
    ) -> Result<Operand> {
        let target = self.lvalue(node)?;
        let one = Expr {
            ty: Type::INT,
            span,
            kind: ExprKind::Int(1),
        };
        let op = if subtract {
            BinaryOp::Sub
        } else {
            BinaryOp::Add
        };
        self.modify(target, op, one, postfix, span)
    }

    fn modify(
        &mut self,
        target: Lvalue,
        op: BinaryOp,
        right: Expr,
        postfix: bool,
        span: Span,
    ) -> Result<Operand> {
        let ty = target.ty.ty.clone();
        self.check_usable(&ty, span)?;
        self.check_usable(&right.ty, span)?;
        let (op, right) = match &ty {
            Type::Pointer(_) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                let element = self.element_size(&ty, span)?;
                let index_type = self.types.pointer_difference_type();
                let index = self.convert(right, &index_type, span)?;
                let subtract = op == BinaryOp::Sub;
                (ModifyOp::Pointer { subtract, element }, index)
            }
            _ if ty.is_integer() && right.ty.is_integer() => {
                let left = self.promoted_bit_field(&target);
                let left = left.unwrap_or_else(|| ty.clone());
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    let promoted = self.types.promote(&right.ty);
                    let right = self.convert(right, &promoted, span)?;
                    (ModifyOp::Arithmetic(op, self.types.promote(&left)), right)
                } else {
                    let common = self.types.common(&left, &right.ty);
                    let right = self.convert(right, &common, span)?;
                    (ModifyOp::Arithmetic(op, common), right)
                }
            }
            _ => {
                let (a, b) = (self.types.name(&ty), self.types.name(&right.ty));
                return Err(self.error(span, format!("this operator does not fit {a} and {b}")));
            }
        };
        Ok(value(
            ty,
            span,
            ExprKind::Modify {
                target: Box::new(target),
                op,
                value: Box::new(right),
                postfix,
            },
        ))
    }

    pub(super) fn binary(
        &mut self,
        binary: &'a ast::BinaryOperatorExpression,
        span: Span,
    ) -> Result<Operand> {
        use ast::BinaryOperator as B;
        let op = &binary.operator.node;
        match op {
            B::Assign => {
                let target = self.lvalue(&binary.lhs)?;
                let right = self.expr(&binary.rhs)?;
                self.assign(target, right, span)
            }
            B::Index => self.index(&binary.lhs, &binary.rhs, span),
            B::LogicalAnd | B::LogicalOr => {
                let left = Box::new(self.scalar(&binary.lhs)?);
                let right = Box::new(self.scalar(&binary.rhs)?);
                let kind = match op {
                    B::LogicalAnd => ExprKind::And(left, right),
                    _ => ExprKind::Or(left, right),
                };
                Ok(value(Type::INT, span, kind))
            }
            _ => {
                if let Some(op) = compound_assignment(op) {
                    let target = self.lvalue(&binary.lhs)?;
                    let right = self.expr(&binary.rhs)?;
                    return self.modify(target, op, right, false, span);
                }
                let left = self.expr(&binary.lhs)?;
                let right = self.expr(&binary.rhs)?;
                self.check_usable(&left.ty, span)?;
                self.check_usable(&right.ty, span)?;
                self.binary_values(op, left, right, span)
                    .map(Operand::Value)
            }
        }
    }

    fn assign(&mut self, target: Lvalue, right: Expr, span: Span) -> Result<Operand> {
        let ty = target.ty.ty.clone();
        if matches!(ty, Type::Array(..) | Type::Function(_) | Type::Void) {
            let ty = self.types.name(&ty);
            return Err(self.error(span, format!("{ty} cannot be assigned to")));
        }
        self.check_usable(&ty, span)?;
        let right = self.convert(right, &ty, span)?;
        let kind = ExprKind::Assign(Box::new(target), Box::new(right));
        Ok(value(ty, span, kind))
    }

    fn index(
        &mut self,
        left: &'a Node<ast::Expression>,
        right: &'a Node<ast::Expression>,
        span: Span,
    ) -> Result<Operand> {
        let base = match self.operand(left)? {
            // Indexing an array does not give its address away.
            Operand::Lvalue(lvalue) if matches!(lvalue.ty.ty, Type::Array(..)) => {
                let Type::Array(element, _) = &lvalue.ty.ty else {
                    return Err(self.error(span, "this is not an array"));
                };
                let ty = Type::Pointer(element.clone());
                address(lvalue, ty, span)
            }
            operand => self.value(operand)?,
        };
        let index = self.expr(right)?;
        // `2[a]` is `a[2]`.
        let moved = if base.ty.is_integer() && index.ty.is_pointer() {
            self.index_add(base, index, span)?
        } else {
            self.pointer_add(base, index, false, span)?
        };
        self.dereference(moved, span).map(Operand::Lvalue)
    }

    fn pointer_add(
        &mut self,
        pointer: Expr,
        index: Expr,
        subtract: bool,
        span: Span,
    ) -> Result<Expr> {
        if !pointer.ty.is_pointer() || !index.ty.is_integer() {
            let (a, b) = (self.types.name(&pointer.ty), self.types.name(&index.ty));
            return Err(self.error(
                span,
                format!("a pointer and a number are needed, not {a} and {b}"),
            ));
        }
        let element = self.element_size(&pointer.ty, span)?;
        let index_type = self.types.pointer_difference_type();
        let index = self.convert(index, &index_type, span)?;
        Ok(Expr {
            ty: pointer.ty.clone(),
            span,
            kind: ExprKind::PointerAdd {
                pointer: Box::new(pointer),
                index: Box::new(index),
                subtract,
                element,
                index_first: false,
            },
        })
    }

    /// `index + pointer`
    fn index_add(&mut self, index: Expr, pointer: Expr, span: Span) -> Result<Expr> {
        let mut moved = self.pointer_add(pointer, index, false, span)?;
        if let ExprKind::PointerAdd { index_first, .. } = &mut moved.kind {
            *index_first = true;
        }
        Ok(moved)
    }

    fn element_size(&mut self, pointer: &Type, span: Span) -> Result<u64> {
        let size = pointer.pointee().and_then(|to| self.types.size(&to.ty));
        match size {
            Some(size) => Ok(size),
            None => Err(self.error(span, "the size of what this points to is not known")),
        }
    }

    fn binary_values(
        &mut self,
        op: &ast::BinaryOperator,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        use ast::BinaryOperator as B;
        if let Some(comparison) = comparison(op) {
            return self.compare(comparison, left, right, span);
        }
        match (op, left.ty.is_pointer(), right.ty.is_pointer()) {
            (B::Plus, true, false) => return self.pointer_add(left, right, false, span),
            (B::Plus, false, true) => return self.index_add(left, right, span),
            (B::Minus, true, false) => return self.pointer_add(left, right, true, span),
            (B::Minus, true, true) => {
                let element = self.element_size(&left.ty, span)?.max(1);
                return Ok(Expr {
                    ty: self.types.pointer_difference_type(),
                    span,
                    kind: ExprKind::PointerDifference(Box::new(left), Box::new(right), element),
                });
            }
            _ => {}
        }
        let Some(arithmetic) = arithmetic(op) else {
            return Err(self.unsupported(span, "this operator"));
        };
        if !left.ty.is_integer() || !right.ty.is_integer() {
            let (a, b) = (self.types.name(&left.ty), self.types.name(&right.ty));
            return Err(self.error(span, format!("this operator does not fit {a} and {b}")));
        }
        let (ty, right_type) = if matches!(arithmetic, BinaryOp::Shl | BinaryOp::Shr) {
            (self.types.promote(&left.ty), self.types.promote(&right.ty))
        } else {
            let common = self.types.common(&left.ty, &right.ty);
            (common.clone(), common)
        };
        let left = Box::new(self.convert(left, &ty, span)?);
        let right = Box::new(self.convert(right, &right_type, span)?);
        Ok(Expr {
            ty,
            span,
            kind: ExprKind::Binary(arithmetic, left, right),
        })
    }

    fn compare(&mut self, op: Comparison, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        let ty = match (left.ty.is_pointer(), right.ty.is_pointer()) {
            (false, false) if left.ty.is_integer() && right.ty.is_integer() => {
                self.types.common(&left.ty, &right.ty)
            }
            (true, _) => left.ty.clone(),
            (_, true) => right.ty.clone(),
            _ => {
                let (a, b) = (self.types.name(&left.ty), self.types.name(&right.ty));
                return Err(self.error(span, format!("{a} and {b} cannot be compared")));
            }
        };
        let left = Box::new(self.convert(left, &ty, span)?);
        let right = Box::new(self.convert(right, &ty, span)?);
        Ok(Expr {
            ty: Type::INT,
            span,
            kind: ExprKind::Compare(op, left, right),
        })
    }

    pub(super) fn conditional(
        &mut self,
        conditional: &'a ast::ConditionalExpression,
        span: Span,
    ) -> Result<Operand> {
        let condition = self.scalar(&conditional.condition)?;
        let is_elvis = matches!(
            &conditional.then_expression.node,
            ast::Expression::Identifier(name) if name.node.name == SAME_AS_CONDITION
        );
        let then = match is_elvis {
            true => None,
            false => Some(self.expr(&conditional.then_expression)?),
        };
        let otherwise = self.expr(&conditional.else_expression)?;
        let ty = self.conditional_type(then.as_ref().unwrap_or(&condition), &otherwise, span)?;
        let then = match then {
            Some(then) => Some(Box::new(self.convert(then, &ty, span)?)),
            None => None,
        };
        let otherwise = Box::new(self.convert(otherwise, &ty, span)?);
        let kind = ExprKind::Conditional(Box::new(condition), then, otherwise);
        Ok(value(ty, span, kind))
    }

    fn conditional_type(&mut self, a: &Expr, b: &Expr, span: Span) -> Result<Type> {
        let void_pointer = Type::pointer_to(Type::Void);
        Ok(match (&a.ty, &b.ty) {
            (Type::Void, _) | (_, Type::Void) => Type::Void,
            (x, y) if x.is_integer() && y.is_integer() => self.types.common(x, y),
            (Type::Pointer(_), _) if is_null_pointer_constant(&self.types, b) => a.ty.clone(),
            (_, Type::Pointer(_)) if is_null_pointer_constant(&self.types, a) => b.ty.clone(),
            (Type::Pointer(_), Type::Pointer(_)) if a.ty == void_pointer => void_pointer,
            (Type::Pointer(_), Type::Pointer(_)) if b.ty == void_pointer => void_pointer,
            (Type::Pointer(_), _) => a.ty.clone(),
            (_, Type::Pointer(_)) => b.ty.clone(),
            (Type::Record(x), Type::Record(y)) if x == y => a.ty.clone(),
            (x, y) => {
                let (x, y) = (self.types.name(x), self.types.name(y));
                return Err(self.error(span, format!("{x} and {y} have no common type")));
            }
        })
    }

    pub(super) fn comma(
        &mut self,
        parts: &'a [Node<ast::Expression>],
        span: Span,
    ) -> Result<Operand> {
        let mut result: Option<Expr> = None;
        for part in parts {
            let next = self.expr(part)?;
            result = Some(match result {
                None => next,
                Some(before) => Expr {
                    ty: next.ty.clone(),
                    span,
                    kind: ExprKind::Comma(Box::new(before), Box::new(next)),
                },
            });
        }
        match result {
            Some(expr) => Ok(Operand::Value(expr)),
            None => Err(self.error(span, "an empty expression")),
        }
    }

    pub(super) fn scalar(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        let expr = self.expr(node)?;
        if expr.ty.is_scalar() {
            return Ok(expr);
        }
        let span = expr.span;
        self.check_usable(&expr.ty, span)?;
        let ty = self.types.name(&expr.ty);
        Err(self.error(span, format!("a number or a pointer is needed, not {ty}")))
    }

    pub(super) fn integer(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        let expr = self.expr(node)?;
        if expr.ty.is_integer() {
            return Ok(expr);
        }
        let span = expr.span;
        self.check_usable(&expr.ty, span)?;
        let ty = self.types.name(&expr.ty);
        Err(self.error(span, format!("a number is needed, not {ty}")))
    }

    /// The conversion that a cast asks for.
    pub(super) fn cast(&mut self, expr: Expr, to: &Type, span: Span) -> Result<Expr> {
        if *to == Type::Void {
            return Ok(Expr {
                ty: Type::Void,
                span,
                kind: ExprKind::Cast(Box::new(expr)),
            });
        }
        self.convert(expr, to, span)
    }

    /// The conversion to a type, as by assignment (C11 6.5.16.1). Pointers and integers
    /// convert into each other without complaint, as compilers have always done.
    pub(super) fn convert(&mut self, expr: Expr, to: &Type, span: Span) -> Result<Expr> {
        if expr.ty == *to || matches!(to, Type::Void) {
            return Ok(expr);
        }
        self.check_usable(to, span)?;
        self.check_usable(&expr.ty, span)?;
        if !expr.ty.is_scalar() || !to.is_scalar() {
            let (a, b) = (self.types.name(&expr.ty), self.types.name(to));
            return Err(self.error(span, format!("{a} does not convert to {b}")));
        }
        let is_number = matches!(expr.kind, ExprKind::Int(_));
        let result = Expr {
            ty: to.clone(),
            span: expr.span,
            kind: ExprKind::Cast(Box::new(expr)),
        };
        match self.evaluate(&result) {
            Some(number) if is_number => Ok(Expr {
                kind: ExprKind::Int(number),
                ..result
            }),
            _ => Ok(result),
        }
    }
}

fn value(ty: Type, span: Span, kind: ExprKind) -> Operand {
    Operand::Value(Expr { ty, span, kind })
}

fn arithmetic(op: &ast::BinaryOperator) -> Option<BinaryOp> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::Multiply => BinaryOp::Mul,
        B::Divide => BinaryOp::Div,
        B::Modulo => BinaryOp::Rem,
        B::Plus => BinaryOp::Add,
        B::Minus => BinaryOp::Sub,
        B::ShiftLeft => BinaryOp::Shl,
        B::ShiftRight => BinaryOp::Shr,
        B::BitwiseAnd => BinaryOp::And,
        B::BitwiseXor => BinaryOp::Xor,
        B::BitwiseOr => BinaryOp::Or,
        _ => return None,
    })
}

fn compound_assignment(op: &ast::BinaryOperator) -> Option<BinaryOp> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::AssignMultiply => BinaryOp::Mul,
        B::AssignDivide => BinaryOp::Div,
        B::AssignModulo => BinaryOp::Rem,
        B::AssignPlus => BinaryOp::Add,
        B::AssignMinus => BinaryOp::Sub,
        B::AssignShiftLeft => BinaryOp::Shl,
        B::AssignShiftRight => BinaryOp::Shr,
        B::AssignBitwiseAnd => BinaryOp::And,
        B::AssignBitwiseXor => BinaryOp::Xor,
        B::AssignBitwiseOr => BinaryOp::Or,
        _ => return None,
    })
}

fn comparison(op: &ast::BinaryOperator) -> Option<Comparison> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::Less => Comparison::Less,
        B::Greater => Comparison::Greater,
        B::LessOrEqual => Comparison::LessOrEqual,
        B::GreaterOrEqual => Comparison::GreaterOrEqual,
        B::Equals => Comparison::Equal,
        B::NotEquals => Comparison::NotEqual,
        _ => return None,
    })
}
